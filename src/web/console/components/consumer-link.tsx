import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, useState } from "react";
import type { Tollgate } from "../../../client/index.ts";
import { defaultBucket, useKeyBuckets } from "../queries/buckets.tsx";
import { consumersNamed } from "../queries/display-names.tsx";
import { useSession } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";

/** The bucket that contains a consumer of this name, the default one if several do; null if none does. */
export const bucketOf = (api: Tollgate, name: string) =>
  queryOptions({
    queryKey: ["bucket-of", name],
    queryFn: async ({ signal }) => (await consumersNamed(api, [name], signal))[0]?.bucket ?? null,
    staleTime: 60_000,
  });

/** Whether no bucket contains a consumer of this name. False while loading. */
export function useIsUnknownConsumer(name: string): boolean {
  const { api } = useSession();
  const settled = useSettled(name.trim());
  const found = useQuery({ ...bucketOf(api, settled), enabled: settled !== "", staleTime: 0 });
  return settled === name.trim() && found.data === null;
}

interface ConsumerLinkProps {
  /** The tab of the page that it leads to. */
  tab?: string;
  name: string;
  displayName?: string | undefined;
}

/**
 * Analytics and requests contain only the consumer's name: this links to its bucket, the default one if several match. It
 * is looked up when the link is pointed at or focused: a list would send a request for each.
 */
export function ConsumerLink({ name, displayName, tab }: ConsumerLinkProps) {
  const { api, isLimited } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isWanted, setWanted] = useState(false);
  const buckets = useKeyBuckets(isWanted);
  const found = useQuery({
    ...bucketOf(api, name),
    enabled: isWanted && (buckets.data?.length ?? 0) > 1,
  });
  const only = buckets.data?.length === 1 ? buckets.data[0]!.name : undefined;
  const bucket = only ?? found.data;
  const want = () => setWanted(true);
  const open = async (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (bucket !== undefined || !isPlain) return;
    event.preventDefault();
    const holder = (await queries.fetchQuery(bucketOf(api, name)).catch(() => null)) ?? defaultBucket;
    navigate({ to: "/consumers/$bucket/$name", params: { bucket: holder, name }, search: { tab } });
  };
  // The role cannot read consumers.
  if (isLimited) return <span className="truncate">{name}</span>;
  return (
    <Link
      to="/consumers/$bucket/$name"
      params={{ bucket: bucket ?? defaultBucket, name }}
      search={{ tab }}
      className="truncate"
      title={name}
      onPointerEnter={want}
      onFocus={want}
      onClick={open}
    >
      {displayName || name}
    </Link>
  );
}
