import { keepPreviousData } from "@tanstack/react-query";
import type { Consumer, ListConsumersOptions, Tollgate } from "../../../../client/index.ts";
import { pageSize } from "../../../components/table.tsx";
import { consumersNamed } from "../../queries/display-names.tsx";
import { useRead } from "../../queries/session.tsx";

/** A row of the list of consumers. */
export interface ConsumerRow {
  name: string;
  /** Missing for customers of a metering bucket that have no consumer in the key bucket. */
  consumer: Consumer | undefined;
  /** The metering bucket by which the list is sorted. */
  metering?: string;
}

export const consumerSorts = ["usage", "amountDue", "lastRequest"] as const;
export type ConsumerSort = (typeof consumerSorts)[number];

interface Rows {
  data: ConsumerRow[];
  total: number;
  /** When the order was computed, if that was before the response. */
  rankedOn?: string | undefined;
}

interface RowsQuery {
  bucket: string | undefined;
  page: number;
  /** The server sorts. Usage and amounts due are those of the oldest metering bucket. */
  sort: ConsumerSort | undefined;
  conditions: Pick<ListConsumersOptions, "managerEmail" | "namePrefix" | "tag">;
}

export function useConsumerRows({ bucket, page, sort, conditions }: RowsQuery) {
  return useRead(
    ["consumers", bucket, page, sort, conditions],
    async (api, { signal }): Promise<Rows> => {
      const paging = { limit: pageSize, offset: (page - 1) * pageSize, signal };
      if (sort === "usage" || sort === "amountDue") return rowsByMetering(api, bucket!, sort, paging);
      const order = sort === undefined ? conditions : { sort: "lastUsedOn" as const };
      const { data, total } = await api
        .consumers(bucket!)
        .list({ ...paging, ...order, ...withKeys })
        .page();
      return { data: data.map((consumer) => ({ name: consumer.name, consumer })), total };
    },
    { enabled: bucket !== undefined, placeholderData: keepPreviousData },
  );
}

const withKeys = { includeApiKeys: true, keyFormat: "none" } as const;

/** The customers of a metering bucket in its order, with their consumers. */
async function rowsByMetering(
  api: Tollgate,
  bucket: string,
  sort: "usage" | "amountDue",
  paging: { limit: number; offset: number; signal: AbortSignal },
): Promise<Rows> {
  const { signal } = paging;
  const [first] = (await api.metering.list({ limit: 1, signal }).page()).data;
  if (!first) return { data: [], total: 0 };
  const { data, total, rankedOn } =
    sort === "usage"
      ? await api.metering.usage(first.id, paging).page()
      : await api
          .customers(first.id)
          .list({ ...paging, sort })
          .page();
  // A customer with several subscriptions is listed where the most is used.
  const names = [...new Set(data.map(({ customerKey }) => customerKey))];
  const consumers = await consumersNamed(api, names, signal, bucket, withKeys);
  const byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  return { data: names.map((name) => ({ name, consumer: byName.get(name), metering: first.id })), total, rankedOn };
}
