import { runsOf } from "../../../platform/storage/runs.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";

/** What a node let through and has not told the others yet. */
export interface UsedRow {
  scope: string;
  subject: string;
  windowStart: number;
  endsOn: number;
  used: number;
}

/** A row, and what all nodes have let through. */
export interface TotalRow {
  scope: string;
  subject: string;
  window_start: number;
  used: number;
}

const raise = (rows: number) => `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used)
  VALUES ${Array(rows).fill("(?, ?, ?, ?, ?)").join(", ")}
  ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used
  RETURNING scope, subject, window_start, used`;

/** In one order: two nodes with the same rows must not wait for each other in a circle. */
export async function raiseUsed(transaction: WriteTransaction, rows: UsedRow[]): Promise<TotalRow[]> {
  const keyOf = (row: UsedRow) => `${row.scope} ${row.subject} ${row.windowStart}`;
  const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const totals: TotalRow[] = [];
  for (const run of runsOf(sorted)) {
    const parameters = run.flatMap((row) => [row.scope, row.subject, row.windowStart, row.endsOn, row.used]);
    totals.push(...(await transaction.all<TotalRow>(raise(run.length), parameters)));
  }
  return totals;
}

/** Removes windows that are over, at most so many; answers how many it removed. */
export async function removeEnded(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM rate_limits WHERE (scope, subject, window_start) IN (
      SELECT scope, subject, window_start FROM rate_limits WHERE ends_on <= ? ORDER BY ends_on LIMIT ?
    ) RETURNING window_start`,
    [now, rows],
  );
  return removed.length;
}
