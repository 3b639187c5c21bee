import type { UseQueryResult } from "@tanstack/react-query";
import type { Consumer, Customer } from "../../../../client/index.ts";
import { useMeteringBuckets } from "../../queries/buckets.tsx";
import { useRead } from "../../queries/session.tsx";

/** One customer: the consumer with its keys, and the payer of the same name in a metering bucket. Either may be missing. */
export interface CustomerPlace {
  name: string;
  /** The key bucket, if there is a consumer. */
  keyBucket: string | undefined;
  consumer: Consumer | undefined;
}

/** A customer of a metering bucket. */
export interface BilledCustomer {
  bucketId: string;
  customer: Customer;
}

/** What the head of a customer's page shows. */
export interface HeadProps extends CustomerPlace {
  billed: UseQueryResult<BilledCustomer[]>;
  /** The customer in the chosen metering bucket. */
  chosen: BilledCustomer | undefined;
}

/**
 * The customers with this key, in all metering buckets: mostly one. A customer exists from its first subscription on.
 * `known`: a bucket that has it.
 */
export function useBilledCustomers(name: string, known?: string) {
  const buckets = useMeteringBuckets();
  const ids = buckets.data?.map(({ id }) => id);
  return useRead(
    ["customers", "of-key", name, ids, known],
    async (api, { signal }): Promise<BilledCustomer[]> => {
      const found = await Promise.all(
        ids!.map(async (bucketId) => {
          if (bucketId === known) return { bucketId, customer: await api.customers(bucketId).get(name, { signal }) };
          // A comma separates the keys of the filter.
          if (name.includes(",")) return [];
          const { data } = await api
            .customers(bucketId)
            .list({ customerKeys: [name], limit: 1, signal })
            .page();
          return data.map((customer) => ({ bucketId, customer }));
        }),
      );
      return found.flat();
    },
    { enabled: ids !== undefined },
  );
}
