import type { Insertable } from "kysely";
import type { Reads, WriteTransaction } from "../platform/storage/storage.ts";
import type { Tables } from "../platform/storage/tables.ts";

export function findResponse(reads: Reads, credential: string, key: string) {
  return reads.query
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer", "created_on"])
    .where("credential", "=", credential)
    .where("key", "=", key)
    .executeTakeFirst();
}

export async function storeResponse(
  transaction: WriteTransaction,
  row: Insertable<Tables["idempotency_keys"]>,
): Promise<void> {
  await transaction.insert("idempotency_keys", row);
}

export async function deleteResponse(transaction: WriteTransaction, credential: string, key: string): Promise<void> {
  await transaction.query
    .deleteFrom("idempotency_keys")
    .where("credential", "=", credential)
    .where("key", "=", key)
    .execute();
}

/** Deletes at most `rows` rows, oldest first, and returns the number. */
export async function deleteResponsesBefore(
  transaction: WriteTransaction,
  time: number,
  rows: number,
): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM idempotency_keys WHERE (credential, key) IN (
      SELECT credential, key FROM idempotency_keys WHERE created_on <= ? ORDER BY created_on LIMIT ?
    ) RETURNING created_on`,
    [time, rows],
  );
  return removed.length;
}
