import type { Act } from "../../../core/access.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { readMethod } from "../customers/customers.ts";
import type { PaymentProvider } from "../payments/interface/provider.ts";
import { invoiceUpdated, modeOf } from "../payments/providers.ts";
import { mailFailure, mailReceipt } from "./billing-mails.ts";
import { payFromGrants } from "./grant-payments.ts";
import { recordInvoice } from "./invoice-changes.ts";
import * as store from "./invoice-store.ts";
import { updatePayment } from "./payment-state.ts";

type Invoice = store.InvoiceRow;

/**
 * Pays an open invoice from the customer's grants, unless it sells a credit pack, and requests payment of the rest from the
 * provider. Without a payment method, or if the bank requires a second step, it stays open until it is due.
 */
export async function requestPayment(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  provider: PaymentProvider,
  open: Invoice,
): Promise<Invoice> {
  const isSale = open.purchase_id !== null;
  const due = isSale ? BigInt(open.amount_due) : await payFromGrants(transaction, act, bucket, open);
  const from_credits = String(BigInt(open.from_credits) + BigInt(open.amount_due) - due);
  const invoice = { ...open, amount_due: String(due), from_credits };
  if (due === 0n) await invoiceUpdated(transaction, open.seq, act.now);
  if (due === 0n) return payInvoice(transaction, act, bucket, invoice, act.now, null);
  if (invoice.amount_due !== open.amount_due)
    await store.updateInvoice(transaction, open, { amount_due: invoice.amount_due, from_credits });
  const outcome = await provider.requestPayment(transaction, {
    accountSeq: act.account.seq,
    mode: modeOf(bucket),
    invoiceSeq: invoice.seq,
    now: act.now,
    method: () => readMethod(transaction, bucket, invoice.customer_key),
  });
  if (outcome === "paid") return payInvoice(transaction, act, bucket, invoice, act.now, null);
  if (outcome === "failed") return failPayment(transaction, act, bucket, invoice, act.now);
  if (outcome === "requested" && invoice.collection_state === null)
    await store.updateInvoice(transaction, invoice, { collection_state: "pending" });
  await updatePayment(transaction, act, bucket, invoice.subscription_id);
  return invoice;
}

export async function payInvoice(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  before: Invoice,
  paidOn: number,
  reference: string | null,
): Promise<Invoice> {
  const changed = {
    status: "paid",
    amount_due: "0",
    from_credits: before.from_credits,
    collected: before.amount_due,
    paid_on: paidOn,
    payment_reference: reference,
    version: before.version + 1,
    updated_on: act.now,
  };
  await store.updateInvoice(transaction, before, changed);
  const paid = { ...before, ...changed };
  recordInvoice(transaction, act, bucket, "invoice.paid", paid, before);
  await mailReceipt(transaction, act, bucket, paid);
  await updatePayment(transaction, act, bucket, paid.subscription_id, paidOn);
  return paid;
}

/** Announces that a payment failed, once for each attempt. */
export async function failPayment(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  before: Invoice,
  failedOn: number,
): Promise<Invoice> {
  const changed = {
    // The time of the first failure remains: the grace period is not prolonged by another attempt.
    failed_on: before.failed_on ?? failedOn,
    version: before.version + 1,
    updated_on: act.now,
  };
  await store.updateInvoice(transaction, before, changed);
  const failed = { ...before, ...changed };
  recordInvoice(transaction, act, bucket, "invoice.payment-failed", failed, before);
  await mailFailure(transaction, act, bucket, failed);
  await updatePayment(transaction, act, bucket, failed.subscription_id);
  return failed;
}
