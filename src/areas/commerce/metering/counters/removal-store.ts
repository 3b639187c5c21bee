import { removeKeys } from "../../../../counting/events/event-keys.ts";
import { isPartitioned } from "../../../../counting/events/event-table.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

type RemovedRow = Omit<RowOf<"usage_events">, "time" | "voided_on">;

/**
 * Returns the oldest events of a table that were received before a time: those of the `max` oldest rows, each with all
 * of its rows. If only some rows of an event were removed, it would be new by its first row and a duplicate by another.
 */
export function oldestEvents(
  reads: Reads,
  receivedBefore: number,
  max: number,
  table = "usage_events",
): Promise<RemovedRow[]> {
  return reads.all(
    `SELECT seq, bucket_seq, source, event_id, part, received_on, subscription_seq, period_start, meter, whole, billionths
     FROM ${table} WHERE (bucket_seq, source, event_id) IN (
       SELECT bucket_seq, source, event_id
       FROM (SELECT * FROM ${table} ORDER BY seq LIMIT ?) AS oldest WHERE received_on < ?)`,
    [max, receivedBefore],
  );
}

/** Removes events and adds them to the removed sums of their counters. The usage is unchanged. */
export async function removeEvents(
  transaction: WriteTransaction,
  rows: RemovedRow[],
  table = "usage_events",
): Promise<void> {
  const note = `UPDATE usage_counters SET removed_events = removed_events + ?,
      removed_whole = removed_whole + ?, removed_billionths = removed_billionths + ?
    WHERE subscription_seq = ? AND period_start = ? AND meter = ?`;
  const ofCounter = Map.groupBy(rows, (row) => `${row.subscription_seq} ${row.period_start} ${row.meter}`);
  for (const removed of ofCounter.values()) {
    const { subscription_seq, period_start, meter } = removed[0]!;
    // Each is exact below 2^53; their sum may not be.
    const whole = removed.reduce((sum, row) => sum + BigInt(row.whole), 0n);
    const billionths = removed.reduce((sum, row) => sum + row.billionths, 0);
    await transaction.run(note, [removed.length, whole, billionths, subscription_seq, period_start, meter]);
  }
  for (const run of runsOf(rows)) {
    const places = run.map(() => "?").join(", ");
    await transaction.run(
      `DELETE FROM ${table} WHERE seq IN (${places})`,
      run.map((row) => row.seq),
    );
  }
  if (isPartitioned(transaction)) await removeKeys(transaction, rows);
}
