import type { Insertable } from "kysely";
import type { Reads, WriteTransaction } from "../storage/storage.ts";
import type { Tables } from "../storage/tables.ts";

export function findAnswer(reads: Reads, credential: string, key: string) {
  return reads.query
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer", "created_on"])
    .where("credential", "=", credential)
    .where("key", "=", key)
    .executeTakeFirst();
}

export async function rememberAnswer(
  transaction: WriteTransaction,
  row: Insertable<Tables["idempotency_keys"]>,
): Promise<void> {
  await transaction.insert("idempotency_keys", row);
}

export async function forgetAnswer(transaction: WriteTransaction, credential: string, key: string): Promise<void> {
  await transaction.query
    .deleteFrom("idempotency_keys")
    .where("credential", "=", credential)
    .where("key", "=", key)
    .execute();
}

/** At most a thousand at a time: a write that waits behind this one must not notice. */
export async function forgetAnswersBefore(transaction: WriteTransaction, time: number): Promise<void> {
  const old = transaction.query
    .selectFrom("idempotency_keys")
    .select(["credential", "key"])
    .where("created_on", "<=", time)
    .orderBy("created_on")
    .limit(1000);
  await transaction.query
    .deleteFrom("idempotency_keys")
    .where(({ eb, refTuple }) => eb(refTuple("credential", "key"), "in", old.$asTuple("credential", "key")))
    .execute();
}
