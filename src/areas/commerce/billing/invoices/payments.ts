import { recordChange } from "../../../../core/changes/record.ts";
import { ifFound } from "../../../../core/problems/problem.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type PaymentData, setBilling } from "../../subscriptions/state.ts";
import { findRowForUpdate } from "../../subscriptions/subscriptions.ts";
import { readMethod } from "../customers/customers.ts";
import type { PaymentProvider } from "../payments/interface/provider.ts";
import { invoiceUpdated, modeOf } from "../payments/providers.ts";
import { profileOf } from "../settings/settings.ts";
import { mailAccess, mailFailure, mailReceipt } from "./billing-mails.ts";
import { payFromGrants } from "./grant-payments.ts";
import * as store from "./invoice-store.ts";
import { type InvoiceRow, invoicesOfSubscription } from "./invoice-store.ts";
import { presentInvoice } from "./present-invoice.ts";

type Invoice = store.InvoiceRow;

/**
 * Pays an open invoice from the customer's grants, unless it sells a credit pack, and requests payment of the rest from the
 * provider. Without a payment method, or if the bank requires a second step, it stays open until it is due.
 */
export async function requestPayment(
  context: BucketContext,
  provider: PaymentProvider,
  open: Invoice,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const isSale = open.purchase_id !== null;
  const due = isSale ? BigInt(open.amount_due) : await payFromGrants(context, open);
  const from_credits = String(BigInt(open.from_credits) + BigInt(open.amount_due) - due);
  const invoice = { ...open, amount_due: String(due), from_credits };
  if (due === 0n) await invoiceUpdated(transaction, open.seq, act.now);
  if (due === 0n) return payInvoice(context, invoice, act.now, null);
  if (invoice.amount_due !== open.amount_due)
    await store.updateInvoice(transaction, open, { amount_due: invoice.amount_due, from_credits });
  const outcome = await provider.requestPayment(transaction, {
    accountSeq: act.account.seq,
    mode: modeOf(bucket),
    invoiceSeq: invoice.seq,
    now: act.now,
    method: () => readMethod(transaction, bucket, invoice.customer_key),
  });
  if (outcome === "paid") return payInvoice(context, invoice, act.now, null);
  if (outcome === "failed") return failPayment(context, invoice, act.now);
  if (outcome === "requested" && invoice.collection_state === null)
    await store.updateInvoice(transaction, invoice, { collection_state: "pending" });
  await updatePayment(context, invoice.subscription_id);
  return invoice;
}

export async function payInvoice(
  context: BucketContext,
  before: Invoice,
  paidOn: number,
  reference: string | null,
): Promise<Invoice> {
  const { transaction, act } = context;
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
  recordInvoice(context, "invoice.paid", paid, before);
  await mailReceipt(context, paid);
  await updatePayment(context, paid.subscription_id, paidOn);
  return paid;
}

/** Announces that a payment failed, once for each attempt. */
export async function failPayment(context: BucketContext, before: Invoice, failedOn: number): Promise<Invoice> {
  const { transaction, act } = context;
  const changed = {
    // The time of the first failure remains: the grace period is not prolonged by another attempt.
    failed_on: before.failed_on ?? failedOn,
    version: before.version + 1,
    updated_on: act.now,
  };
  await store.updateInvoice(transaction, before, changed);
  const failed = { ...before, ...changed };
  recordInvoice(context, "invoice.payment-failed", failed, before);
  await mailFailure(context, failed);
  await updatePayment(context, failed.subscription_id);
  return failed;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Derives the payment state of a subscription, and when access ends, from its unpaid invoices. */
export async function updatePayment(
  context: BucketContext,
  subscriptionId: string | null,
  paidOn?: number,
): Promise<void> {
  const { transaction, act, bucket } = context;
  // Invoices outlive subscriptions.
  const row = subscriptionId && (await ifFound(findRowForUpdate(transaction, bucket, subscriptionId)));
  if (!row) return;
  const open = await invoicesOfSubscription(transaction, bucket.seq, row.id, "open", "uncollectible");
  const graceDays = (await profileOf(transaction, act.account.seq))?.graceDays ?? 0;
  const failures = open.map((invoice) => invoice.failed_on ?? invoice.due_on!);
  const before = row.payment === null ? {} : (JSON.parse(row.payment) as PaymentData);
  const failsOn = open.length === 0 ? undefined : Math.min(...failures);
  const payment: PaymentData = {
    ...(open.length === 0 ? {} : { openSince: Math.min(...open.map((each) => each.finalized_on!)), failsOn }),
    paidOn: paidOn ?? before.paidOn,
  };
  const blocksOn = failsOn === undefined ? null : failsOn + graceDays * dayMilliseconds;
  await setBilling(context, row, { payment: JSON.stringify(payment), blocks_on: blocksOn });
  await mailAccess(context, { ...row, before: row.blocks_on, after: blocksOn });
}

type InvoiceKind =
  | "invoice.created"
  | "invoice.finalized"
  | "invoice.paid"
  | "invoice.payment-failed"
  | "invoice.voided"
  | "invoice.marked-uncollectible"
  | "credit-note.created"
  | "credit-note.refunded"
  | "credit-note.refund-failed";

export function recordInvoice(
  { transaction, act, bucket }: BucketContext,
  kind: InvoiceKind,
  after: InvoiceRow,
  before?: InvoiceRow,
): void {
  const type = kind.startsWith("credit-note.") ? "credit-note" : "invoice";
  const resource = { type, id: after.id, name: after.number ?? undefined, parent: namedMeteringBucket(bucket) };
  const shown = presentInvoice(after);
  const snapshots = before ? { before: presentInvoice(before), after: shown } : { after: shown };
  const action = kind.replace("-failed", "_failed").replace("-uncollectible", "_uncollectible");
  recordChange(transaction, act, kind, { ...resource, ...snapshots, action });
}
