import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type JobRow = RowOf<"jobs">;

/** A job, and the account that it belongs to. */
export interface TakenJob extends JobRow {
  account_id: string;
  account_name: string;
}

/**
 * Returns the oldest job of some kinds without a valid lease whose account has no earlier one of them: one at a time for each
 * account.
 */
export function findNextJob(
  transaction: WriteTransaction,
  now: number,
  kinds: string[],
): Promise<TakenJob | undefined> {
  const places = kinds.map(() => "?").join();
  return transaction.one(
    `SELECT jobs.*, accounts.id AS account_id, accounts.name AS account_name
     FROM jobs JOIN accounts ON accounts.seq = jobs.account_seq
     WHERE jobs.state IN ('queued', 'running') AND jobs.kind IN (${places})
       AND (jobs.worker IS NULL OR jobs.worker_until <= ?)
       AND NOT EXISTS (
         SELECT 1 FROM jobs AS earlier WHERE earlier.account_seq = jobs.account_seq AND earlier.seq < jobs.seq
           AND earlier.state IN ('queued', 'running') AND earlier.kind IN (${places})
       )
     ORDER BY jobs.seq LIMIT 1`,
    [...kinds, now, ...kinds],
  );
}

/** For a single node: the process that held the leases has ended. */
export function releaseAllJobs(transaction: WriteTransaction, kinds: string[]): Promise<void> {
  const sql = `UPDATE jobs SET worker = NULL, worker_until = NULL
    WHERE worker IS NOT NULL AND kind IN (${kinds.map(() => "?").join()})`;
  return transaction.run(sql, kinds);
}
