import { keepPreviousData } from "@tanstack/react-query";
import type { Customer } from "../../../client/index.ts";
import { useRead } from "./session.tsx";

/** With more metering buckets, only the oldest are looked at. */
const maxBuckets = 10;

/** The payers with these keys, in all metering buckets, by key. */
export function usePayers(keys: string[] | undefined) {
  return useRead(
    ["customers", "payers", keys],
    async (api, { signal }) => {
      const buckets = await api.metering.list({ limit: maxBuckets, signal }).page();
      const found = await Promise.all(
        buckets.data.map(({ id }) => api.customers(id).list({ customerKeys: keys!, limit: 1000, signal }).page()),
      );
      return Map.groupBy<string, Customer>(
        found.flatMap(({ data }) => data),
        ({ customerKey }) => customerKey,
      );
    },
    {
      enabled: keys !== undefined && keys.length > 0,
      placeholderData: keepPreviousData,
    },
  );
}
