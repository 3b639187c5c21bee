import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

export async function carriedAmount(
  reads: Reads,
  bucketSeq: number,
  customerKey: string,
  currency: string,
): Promise<bigint> {
  const row = await reads.one<{ amount: string }>(
    "SELECT amount FROM carried_amounts WHERE bucket_seq = ? AND customer_key = ? AND currency = ?",
    [bucketSeq, customerKey, currency],
  );
  return BigInt(row?.amount ?? 0);
}

export async function setCarriedAmount(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  currency: string,
  amount: bigint,
): Promise<void> {
  await transaction.run(
    `INSERT INTO carried_amounts (bucket_seq, customer_key, currency, amount) VALUES (?, ?, ?, ?)
     ON CONFLICT (bucket_seq, customer_key, currency) DO UPDATE SET amount = excluded.amount`,
    [bucketSeq, customerKey, currency, String(amount)],
  );
}
