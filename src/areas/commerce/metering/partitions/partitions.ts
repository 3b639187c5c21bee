import { pause } from "../../../../lib/tasks/pause.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";

interface PartitionOptions {
  now: number;
  retentionDays: number;
}

const lockMilliseconds = 1_000;

/** Partitions the table of a new database, or of one that was moved from SQLite, before requests are served. */
export async function startPartitions(
  storage: Storage,
  { now, retentionDays, log }: PartitionOptions & { log: Pick<Log, "info"> },
): Promise<void> {
  if (!storage.maintain) return;
  const [store, { unitOf }] = await Promise.all([import("./partition-store.ts"), import("./bounds.ts")]);
  // Another node may be doing it.
  for (;;) {
    const isDone = await storage.maintain(
      async (run) => {
        if (await store.isPartitioned(run)) return true;
        if (!(await store.tryPartitionLock(run)) || (await store.isPartitioned(run))) return false;
        log.info("partitioning usage events");
        await store.partitionTable(run, now, unitOf(retentionDays));
        return true;
      },
      { lockMilliseconds },
    );
    if (isDone) return;
    await pause(lockMilliseconds);
  }
}

/** Creates the partitions of the next days or weeks. */
export async function keepPartitions(
  storage: Storage,
  { now, retentionDays, signal }: PartitionOptions & { signal?: AbortSignal },
): Promise<void> {
  if (!storage.maintain) return;
  const [{ createPartitions }, { unitOf }] = await Promise.all([import("./upkeep.ts"), import("./bounds.ts")]);
  await createPartitions(storage, now, unitOf(retentionDays), signal);
}

/** Null on SQLite. */
export async function partitionStatus(storage: Storage): Promise<{ partitions: number } | null> {
  if (!storage.maintain) return null;
  const { partitionsOf } = await import("./partition-store.ts");
  return { partitions: (await partitionsOf(storage.reads)).ranges.length };
}
