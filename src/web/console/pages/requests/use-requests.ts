import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Request, RequestFeed } from "../../../../client/index.ts";
import { messageOf } from "../../../lib/errors.ts";
import { useSession } from "../../queries/session.tsx";
import { filterOf, type RequestSearch } from "./filter.ts";

const size = 50;
const maxFollowed = 500;

/** The newest matching requests, older ones on demand, and new ones while it is live. */
export function useRequests(search: RequestSearch, isLive: boolean) {
  const { api } = useSession();
  const { request: _, ...rest } = search;
  const name = JSON.stringify(rest);
  const [fresh, setFresh] = useState<Request[]>([]);
  const [lost, setLost] = useState<string>();
  const kept = useInfiniteQuery({
    queryKey: ["requests", name],
    queryFn: ({ pageParam: before, signal }) => api.requests.list({ ...filterOf(rest), limit: size, before, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data }: RequestFeed) => (data.length < size ? undefined : data.at(-1)?.id),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is derived from the filter
  useEffect(() => setFresh([]), [name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is derived from the filter
  useEffect(() => {
    setLost(undefined);
    if (!isLive) return;
    const abort = new AbortController();
    follow(abort.signal).catch((error) => {
      if (!abort.signal.aborted) setLost(messageOf(error));
    });
    return () => abort.abort(new DOMException("left", "AbortError"));
  }, [name, isLive]);

  async function follow(signal: AbortSignal): Promise<void> {
    // Loads requests that ended between the first request and the connection.
    const onOpen = () => {
      setLost(undefined);
      void kept.refetch();
    };
    const onLost = () => setLost("The connection was lost; reconnecting.");
    for await (const request of api.requests.follow({ ...filterOf(rest), signal, onOpen, onLost }))
      setFresh((before) => [request, ...before.slice(0, maxFollowed - 1)]);
  }

  const requests = useMemo(() => {
    const known = kept.data?.pages.flatMap(({ data }) => data);
    if (!known) return undefined;
    const ids = new Set(known.map(({ id }) => id));
    return [...fresh.filter(({ id }) => !ids.has(id)), ...known];
  }, [kept.data, fresh]);

  return {
    requests,
    lost,
    error: kept.error,
    /** The number of requests above the recorded rate, in the time that the list covers. */
    omitted: {
      successes: sumOf(kept.data?.pages, ({ omitted }) => omitted.successes),
      failures: sumOf(kept.data?.pages, ({ omitted }) => omitted.failures),
    },
    hasOlder: kept.hasNextPage,
    isLoadingOlder: kept.isFetchingNextPage,
    loadOlder: () => kept.fetchNextPage(),
    /** Also loads requests that ended while the stream was paused. */
    reload: async () => {
      await kept.refetch();
      setFresh([]);
    },
  };
}

const sumOf = (pages: RequestFeed[] = [], count: (page: RequestFeed) => number): number =>
  pages.reduce((sum, page) => sum + count(page), 0);

/** Freezes a list while the pointer is over it, and counts new items. */
export function useHeld<Item>(items: Item[] | undefined, isHeld: boolean): { shown: Item[] | undefined; held: number } {
  const [still, setStill] = useState<Item[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: uses the list of the moment when the pointer entered
  useEffect(() => {
    setStill(isHeld ? items : undefined);
  }, [isHeld]);
  if (!still || !items) return { shown: items, held: 0 };
  const held = items.indexOf(still[0]!);
  return held <= 0 ? { shown: items, held: 0 } : { shown: items.slice(held), held };
}
