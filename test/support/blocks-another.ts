import type { WriteTransaction } from "../../src/platform/storage/storage.ts";

/** Whether another transaction waits for a lock of this one. On SQLite all others wait. */
export async function blocksAnother(transaction: WriteTransaction): Promise<boolean> {
  if (!transaction.locksRows) return true;
  const sql =
    "SELECT 1 AS found FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) LIMIT 1";
  return (await transaction.one(sql, [])) !== undefined;
}
