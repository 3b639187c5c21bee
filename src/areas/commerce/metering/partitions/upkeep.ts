import { pause } from "../../../../lib/tasks/pause.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Unit } from "./bounds.ts";
import * as store from "./partition-store.ts";

/** The lock timeout: other transactions queue behind a pending lock. */
const lockMilliseconds = 500;
const attempts = 20;

/** Creates the partitions of the next days or weeks, if they are missing. */
export async function createPartitions(storage: Storage, now: number, unit: Unit, signal?: AbortSignal): Promise<void> {
  const { ranges, later } = await store.partitionsOf(storage.reads);
  const end = ranges.at(-1)?.to ?? 0;
  const hasLater = await storage.reads.one(`SELECT 1 AS found FROM ${later} WHERE received_on >= ? LIMIT 1`, [end]);
  if (end >= now + unit.ahead && !hasLater) return;
  await storage.maintain!(
    async (run) => {
      if (await store.tryPartitionLock(run)) await store.createAhead(run, now, unit);
    },
    { lockMilliseconds, signal },
  );
}

/** Drops partitions all of whose events were received before a time. Returns what is left. */
export async function dropPartitions(
  storage: Storage,
  receivedBefore: number,
  signal?: AbortSignal,
): Promise<store.Partitions> {
  for (;;) {
    const partitions = await store.partitionsOf(storage.reads);
    const [oldest] = partitions.ranges;
    if (!oldest || oldest.to > receivedBefore || signal?.aborted) return partitions;
    // The last one stays: the next one begins at its end.
    if (partitions.ranges.length === 1 || !(await drop(storage, oldest, signal))) return partitions;
  }
}

async function drop(storage: Storage, { name, to }: store.Partition, signal?: AbortSignal): Promise<boolean> {
  await storage.write((transaction) =>
    transaction.run("UPDATE usage_event_storage SET removed_before = ? WHERE removed_before < ?", [to, to]),
  );
  for (let attempt = 0; attempt < attempts && !signal?.aborted; attempt++) {
    const isDropped = await storage.maintain!(
      async (run) => {
        if (!(await store.tryPartitionLock(run))) return false;
        // Another node may have dropped it in the meantime.
        if (await store.isAttached(run, name)) await store.dropWithSums(run, name);
        return true;
      },
      { lockMilliseconds, signal },
    );
    if (isDropped !== undefined) return isDropped;
    await pause(lockMilliseconds);
  }
  return false;
}

/** Removes the keys of events that were dropped. Until then, the events are duplicates. */
export function removeKeysBefore(storage: Storage, receivedBefore: number, signal?: AbortSignal): Promise<void> {
  const sql = `DELETE FROM usage_event_keys WHERE (bucket_seq, digest) IN (
    SELECT bucket_seq, digest FROM usage_event_keys WHERE received_on < ? ORDER BY received_on LIMIT ?
  ) RETURNING 1 AS removed`;
  return removeLocked(storage, "removal of keys of usage events", signal, async (transaction, rows) => {
    const removed = await transaction.all(sql, [receivedBefore, rows]);
    return removed.length;
  });
}

/** Adds the sums of dropped events to the removed sums of their counters. Those of deleted subscriptions are forgotten. */
export function addRemovedSums(storage: Storage, signal?: AbortSignal): Promise<void> {
  const sql = `WITH taken AS (
      DELETE FROM removed_usage WHERE seq IN (SELECT seq FROM removed_usage ORDER BY seq LIMIT ?)
      RETURNING subscription_seq, period_start, meter, events, whole, billionths
    ), sums AS (
      SELECT subscription_seq, period_start, meter, sum(events) AS events, sum(whole) AS whole, sum(billionths) AS billionths
      FROM taken GROUP BY subscription_seq, period_start, meter
    ), added AS (
      UPDATE usage_counters AS counters SET removed_events = removed_events + sums.events,
        removed_whole = removed_whole + sums.whole, removed_billionths = removed_billionths + sums.billionths
      FROM sums WHERE (counters.subscription_seq, counters.period_start, counters.meter) =
        (sums.subscription_seq, sums.period_start, sums.meter)
    )
    SELECT count(*) AS rows FROM taken`;
  return removeLocked(storage, "sums of removed usage events", signal, async (transaction, rows) => {
    return (await transaction.one<{ rows: number }>(sql, [rows]))!.rows;
  });
}

/** One node at a time. */
function removeLocked(
  storage: Storage,
  lock: string,
  signal: AbortSignal | undefined,
  removePiece: (transaction: WriteTransaction, rows: number) => Promise<number>,
): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => ((await transaction.tryLock(lock)) ? removePiece(transaction, rows) : 0),
    { signal },
  );
}
