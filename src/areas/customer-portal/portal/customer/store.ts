import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type DeletedKeyRow = RowOf<"portal_deleted_keys">;

export function findDeletedKey(reads: Reads, consumerSeq: number): Promise<DeletedKeyRow | undefined> {
  return reads.one("SELECT * FROM portal_deleted_keys WHERE consumer_seq = ?", [consumerSeq]);
}

/** Keeps the newest key only. */
export async function recordDeletedKey(transaction: WriteTransaction, deletedKey: DeletedKeyRow): Promise<void> {
  await transaction.run(
    `INSERT INTO portal_deleted_keys (consumer_seq, key_id, key_created_on, rules) VALUES (?, ?, ?, ?)
      ON CONFLICT (consumer_seq) DO UPDATE
        SET key_id = excluded.key_id, key_created_on = excluded.key_created_on, rules = excluded.rules
      WHERE portal_deleted_keys.key_created_on < excluded.key_created_on
        OR portal_deleted_keys.key_created_on = excluded.key_created_on AND portal_deleted_keys.key_id < excluded.key_id`,
    [deletedKey.consumer_seq, deletedKey.key_id, deletedKey.key_created_on, deletedKey.rules],
  );
}
