import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useKeyBuckets, usualBucket } from "./buckets.tsx";
import { partsOf } from "./found.ts";
import { useSession } from "./session.tsx";

/** Figures and subscriptions know a consumer by name alone: this leads to the bucket that has it, the usual one if several do. */
export function ConsumerLink({ name, className }: { name: string; className?: string }) {
  const { api } = useSession();
  const buckets = useKeyBuckets();
  const found = useQuery({
    queryKey: ["bucket-of", name],
    queryFn: async ({ signal }) => {
      const results = await api.search(name, { signal });
      const named = results.filter((result) => result.type === "consumer" && result.name === name);
      const holders = named.map(({ path }) => partsOf(path)[3]!);
      return holders.includes(usualBucket) ? usualBucket : (holders[0] ?? null);
    },
    enabled: (buckets.data?.length ?? 0) > 1,
    staleTime: 60_000,
  });
  const only = buckets.data?.length === 1 ? buckets.data[0]!.name : undefined;
  return (
    <Link
      to="/consumers/$bucket/$name"
      params={{ bucket: only ?? found.data ?? usualBucket, name }}
      {...(className ? { className } : {})}
    >
      {name}
    </Link>
  );
}
