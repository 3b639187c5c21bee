import { maxDigits, minorDigits } from "../../../lib/currencies.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

interface OpenAmount {
  customer_key: string;
  currency: string;
  amount_due: string;
}

// The plus prevents the engines from reading all invoices in order instead of the few of the customers.
const openOf = (count: number) => `SELECT customer_key, currency, amount_due FROM invoices
  WHERE bucket_seq = ? AND customer_key IN (${Array.from({ length: count }, () => "?").join(", ")})
    AND status = 'open' AND corrects_id IS NULL ORDER BY +seq`;

/** What customers owe, by invoice. */
export async function openAmountsOf(reads: Reads, bucketSeq: number, keys: string[]): Promise<OpenAmount[]> {
  return keys.length === 0 ? [] : reads.all(openOf(keys.length), [bucketSeq, ...keys]);
}

/** Stores what a customer owes after a change of its invoices: the sum of all, so that an error does not stay. */
export async function storeDue(
  transaction: WriteTransaction,
  { bucket_seq, customer_key }: { bucket_seq: number; customer_key: string },
): Promise<void> {
  const amounts = await openAmountsOf(transaction, bucket_seq, [customer_key]);
  const due = amounts.reduce((sum, { amount_due, currency }) => sum + BigInt(amount_due) * scaleOf(currency), 0n);
  if (due <= 0n)
    await transaction.run("DELETE FROM customer_dues WHERE bucket_seq = ? AND customer_key = ?", [
      bucket_seq,
      customer_key,
    ]);
  else
    await transaction.run(
      `INSERT INTO customer_dues (bucket_seq, customer_key, due) VALUES (?, ?, ?)
        ON CONFLICT (bucket_seq, customer_key) DO UPDATE SET due = excluded.due`,
      [bucket_seq, customer_key, due > largest ? Number(largest) : Number(due)],
    );
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

const scaleOf = (currency: string): bigint => 10n ** BigInt(maxDigits - (minorDigits(currency) ?? 0));
