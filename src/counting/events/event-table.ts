import { lockTable } from "../../platform/storage/query.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";

/**
 * How usage events are stored: in one table with a unique constraint (SQLite); in such a table, with keys that are being
 * added to a table of their own; or in partitions, with keys (PostgreSQL).
 */
export type EventTable = "plain" | "filling" | "partitioned";

const partitioned = "usage events are partitioned";

/** The answer is true until the transaction ends. */
export async function eventTable(transaction: WriteTransaction): Promise<EventTable> {
  if (!transaction.locksRows) return "plain";
  if (transaction.permanentFacts.has(partitioned)) return "partitioned";
  // The switch to partitions waits for this lock, and this lock for the switch.
  await transaction.run(lockTable("usage_events", "ROW EXCLUSIVE"), []);
  const { phase } = (await transaction.one<{ phase: EventTable }>("SELECT phase FROM usage_event_storage", []))!;
  if (phase === "partitioned") transaction.permanentFacts.add(partitioned);
  return phase;
}

/** Events that were received before this time are being dropped: they count as removed, and must not be changed. */
export async function keptSince(transaction: WriteTransaction): Promise<number> {
  if ((await eventTable(transaction)) !== "partitioned") return 0;
  const sql = "SELECT removed_before FROM usage_event_storage";
  return (await transaction.one<{ removed_before: number }>(sql, []))!.removed_before;
}
