import type { Metrics } from "../../../core/metrics/metrics.ts";

/** What one process of a node contributes to the status of the node. */
export interface ProcessStatus {
  memoryBytes: number;
  caches: { name: string; entries: number; hits: number; misses: number }[];
}

export function processStatus(metrics: Metrics): ProcessStatus {
  return {
    memoryBytes: process.memoryUsage.rss(),
    caches: metrics
      .caches()
      .map(({ name, statistics: { size, hits, misses } }) => ({ name, entries: size, hits, misses })),
  };
}

/** Adds up the processes of a node. */
export function sumOf(processes: readonly ProcessStatus[]): ProcessStatus {
  const caches = new Map<string, ProcessStatus["caches"][number]>();
  for (const cache of processes.flatMap((each) => each.caches)) {
    const { name, entries, hits, misses } = caches.get(cache.name) ?? { ...cache, entries: 0, hits: 0, misses: 0 };
    caches.set(name, {
      name,
      entries: entries + cache.entries,
      hits: hits + cache.hits,
      misses: misses + cache.misses,
    });
  }
  const memoryBytes = processes.reduce((sum, each) => sum + each.memoryBytes, 0);
  return { memoryBytes, caches: [...caches.values()] };
}
