import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Tollgate } from "../../../client/index.ts";
import { defaultBucket, useKeyBuckets } from "../queries/buckets.tsx";
import { partsOf } from "../queries/found.ts";
import { useSession } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";

/** The bucket that contains a consumer of this name, the default one if several do; null if none does. */
export const bucketOf = (api: Tollgate, name: string) =>
  queryOptions({
    queryKey: ["bucket-of", name],
    queryFn: async ({ signal }) => {
      const results = await api.search(name, { signal });
      const named = results.filter((result) => result.type === "consumer" && result.name === name);
      const holders = named.map(({ path }) => partsOf(path)[3]!);
      return holders.includes(defaultBucket) ? defaultBucket : (holders[0] ?? null);
    },
    staleTime: 60_000,
  });

/** Whether no bucket contains a consumer of this name. False while loading. */
export function useIsUnknownConsumer(name: string): boolean {
  const { api } = useSession();
  const settled = useSettled(name.trim());
  const found = useQuery({ ...bucketOf(api, settled), enabled: settled !== "", staleTime: 0 });
  return settled === name.trim() && found.data === null;
}

/**
 * Analytics and subscriptions contain only the consumer's name: this links to its bucket, the default one if several
 * match.
 */
export function ConsumerLink({ name, className }: { name: string; className?: string }) {
  const { api } = useSession();
  const buckets = useKeyBuckets();
  const found = useQuery({
    ...bucketOf(api, name),
    enabled: (buckets.data?.length ?? 0) > 1,
  });
  const only = buckets.data?.length === 1 ? buckets.data[0]!.name : undefined;
  return (
    <Link
      to="/consumers/$bucket/$name"
      params={{ bucket: only ?? found.data ?? defaultBucket, name }}
      {...(className ? { className } : {})}
    >
      {name}
    </Link>
  );
}
