import type { Storage } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";

interface PartitionOptions {
  now: number;
  retentionDays: number;
  log: Pick<Log, "info">;
  signal?: AbortSignal | undefined;
}

/** Before requests are served. */
export async function startPartitions(storage: Storage, { retentionDays, ...options }: PartitionOptions) {
  if (!storage.maintain) return;
  const [{ partitionEmpty }, { unitOf }] = await Promise.all([import("./introduction.ts"), import("./bounds.ts")]);
  await partitionEmpty(storage, { ...options, unit: unitOf(retentionDays) });
}

/** Introduces partitions of usage events, and creates those of the next days or weeks. */
export async function keepPartitions(storage: Storage, { retentionDays, ...options }: PartitionOptions) {
  if (!storage.maintain) return;
  const [{ introducePartitions }, { createPartitions }, { unitOf }] = await Promise.all([
    import("./introduction.ts"),
    import("./upkeep.ts"),
    import("./bounds.ts"),
  ]);
  const unit = unitOf(retentionDays);
  await introducePartitions(storage, { ...options, unit });
  await createPartitions(storage, options.now, unit, options.signal);
}

/** Null on SQLite. */
export async function partitionStatus(storage: Storage) {
  return storage.maintain ? (await import("./introduction.ts")).introductionStatus(storage) : null;
}
