import { Slice } from "../../lib/tasks/slices.ts";
import type { ColumnType, Reads, WriteTransaction } from "../../platform/storage/storage.ts";

/** Accepted requests that a node has not written yet. */
export interface UsedRow {
  scope: string;
  subject: string;
  windowStart: number;
  /** When the row is no longer needed: at the end of the window, for a sliding limit a window later. */
  endsOn: number;
  used: number;
  isSliding: boolean;
}

/** A row with the total of all nodes. */
export interface RateLimitTotalRow {
  scope: string;
  subject: string;
  window_start: number;
  used: number;
  /** The count of the previous window of a sliding limit, which other nodes may have raised. */
  previous_used?: number | null;
}

export interface CountedRow extends RateLimitTotalRow {
  ends_on: number;
}

const types: ColumnType[] = ["text", "text", "bigint", "bigint", "bigint"];

const raise = (rows: string) => `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used)
  SELECT column1, column2, column3, column4, column5 FROM ${rows} AS added WHERE true
  ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used
  RETURNING scope, subject, window_start, rate_limits.used`;

/** `ends_on` of a sliding limit is two windows after the start. */
const raiseSliding = (rows: string) => `${raise(rows)}, (
    SELECT previous.used FROM rate_limits AS previous
    WHERE previous.scope = rate_limits.scope AND previous.subject = rate_limits.subject
      AND previous.window_start = rate_limits.window_start - (rate_limits.ends_on - rate_limits.window_start) / 2
  ) AS previous_used`;

/** A large batch is one transaction, but reads can run in between. */
export async function raiseUsed(transaction: WriteTransaction, rows: UsedRow[]): Promise<RateLimitTotalRow[]> {
  const totals: RateLimitTotalRow[] = [];
  const slice = new Slice();
  const [sliding, fixed] = [rows.filter(({ isSliding }) => isSliding), rows.filter(({ isSliding }) => !isSliding)];
  for (const [some, raised] of [
    [fixed, raise],
    [sliding, raiseSliding],
  ] as const) {
    const values = some.map((row) => [row.scope, row.subject, row.windowStart, row.endsOn, row.used]);
    for (const { sql, parameters } of transaction.tablesOf(types, values)) {
      totals.push(...(await transaction.all<RateLimitTotalRow>(raised(sql), parameters)));
      if (slice.isOver) await slice.next();
    }
  }
  return totals;
}

/** The number of rows per read. */
const pageSize = 5_000;

/** The counts of windows that are still needed, in pages. */
export async function* countedWindows(reads: Reads, now: number): AsyncGenerator<CountedRow[]> {
  const sql = `SELECT * FROM rate_limits WHERE (scope, subject, window_start) > (?, ?, ?) AND ends_on > ?
    ORDER BY scope, subject, window_start LIMIT ?`;
  let after: unknown[] = ["", "", 0];
  for (;;) {
    const rows = await reads.all<CountedRow>(sql, [...after, now, pageSize]);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = [last.scope, last.subject, last.window_start];
  }
}

/** Removes up to a number of windows that are no longer needed. Returns how many it removed. */
export async function removeEndedWindows(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM rate_limits WHERE (scope, subject, window_start) IN (
      SELECT scope, subject, window_start FROM rate_limits WHERE ends_on <= ? ORDER BY ends_on LIMIT ?
    ) RETURNING window_start`,
    [now, rows],
  );
  return removed.length;
}
