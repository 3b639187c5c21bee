import type { Act } from "../../../core/access.ts";
import { newId } from "../../../lib/ids.ts";
import type { Minor } from "../../../lib/money.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering/buckets.ts";
import { balanceOf, insertBalanceEntry } from "../customers/balance-store.ts";
import { findCustomer, presentWithBalances, recordCustomer } from "../customers/customers.ts";
import type { InvoiceRow } from "./invoice-store.ts";

type Source = Pick<InvoiceRow, "id" | "customer_key" | "currency">;

/** Adds money that pays later invoices, or takes some of it. Entries never change, and no balance is negative. */
export async function addToBalance(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  { id, customer_key, currency }: Source,
  amount: Minor,
): Promise<void> {
  await transaction.lock(`balance ${bucket.seq} ${customer_key}`);
  const balance = (await balanceOf(transaction, bucket.seq, customer_key, currency)) + amount;
  if (balance < 0n) throw new Error("A balance must not be negative");
  const before = await shownCustomer(transaction, bucket, customer_key);
  await insertBalanceEntry(transaction, {
    id: newId("blnc", act.now),
    bucket_seq: bucket.seq,
    customer_key,
    currency,
    amount: String(amount),
    balance: String(balance),
    invoice_id: id,
    created_on: act.now,
  });
  recordCustomer(transaction, act, bucket, before, await shownCustomer(transaction, bucket, customer_key));
}

async function shownCustomer(transaction: WriteTransaction, bucket: MeteringBucket, key: string) {
  return presentWithBalances(transaction, bucket, await findCustomer(transaction, bucket, key));
}

/** Pays as much of an invoice as the balance has. Returns what remains due. */
export async function payFromBalance(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  invoice: Source & Pick<InvoiceRow, "amount_due">,
): Promise<Minor> {
  const due = BigInt(invoice.amount_due);
  if (due <= 0n) return due;
  await transaction.lock(`balance ${bucket.seq} ${invoice.customer_key}`);
  const balance = await balanceOf(transaction, bucket.seq, invoice.customer_key, invoice.currency);
  const paid = balance < due ? balance : due;
  if (paid > 0n) await addToBalance(transaction, act, bucket, invoice, -paid);
  return due - paid;
}
