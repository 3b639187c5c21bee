import type { Selectable } from "kysely";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

/** The balance of a customer in a currency, in minor units. */
export async function balanceOf(
  reads: Reads,
  bucketSeq: number,
  customerKey: string,
  currency: string,
): Promise<bigint> {
  const row = await reads.one<{ balance: string }>(
    `SELECT balance FROM balance_entries WHERE bucket_seq = ? AND customer_key = ? AND currency = ?
     ORDER BY seq DESC LIMIT 1`,
    [bucketSeq, customerKey, currency],
  );
  return BigInt(row?.balance ?? 0);
}

export async function insertBalanceEntry(
  transaction: WriteTransaction,
  row: Omit<Selectable<Tables["balance_entries"]>, "seq">,
): Promise<void> {
  await transaction.insert("balance_entries", row);
}

export function balancesOf(reads: Reads, bucketSeq: number, customerKey: string) {
  return reads.all<{ currency: string; balance: string }>(
    `SELECT currency, balance FROM balance_entries WHERE seq IN (
       SELECT MAX(seq) FROM balance_entries WHERE bucket_seq = ? AND customer_key = ? GROUP BY currency) ORDER BY currency`,
    [bucketSeq, customerKey],
  );
}
