import { recordChange } from "../../../../core/changes/record.ts";
import { ifFound } from "../../../../core/problems/problem.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { ChangeKind } from "../../../../platform/storage/change.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type PaymentData, setBilling } from "../../subscriptions/state.ts";
import { findRowForUpdate } from "../../subscriptions/subscriptions.ts";
import { grantAmount, restoreAfterRefund } from "../credit-grants/grants.ts";
import { readMethod } from "../customers/customers.ts";
import type { PaymentProvider } from "../payments/interface/provider.ts";
import { invoiceUpdated, modeOf, providerFor } from "../payments/providers.ts";
import { profileOf } from "../settings/settings.ts";
import { mailAbout, mailAccess } from "./billing-mails.ts";
import { payFromGrants } from "./grant-payments.ts";
import * as store from "./invoice-store.ts";
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
  const paid = await changeInvoice(context, before, {
    status: "paid",
    amount_due: "0",
    from_credits: before.from_credits,
    collected: before.amount_due,
    paid_on: paidOn,
    payment_reference: reference,
  });
  recordInvoice(context, "invoice.paid", paid, before);
  if (paid.total !== "0" && paid.total !== paid.credited) await mailAbout(context, "receipt", paid);
  await updatePayment(context, paid.subscription_id, paidOn);
  return paid;
}

/** Announces that a payment failed, once for each attempt. */
export async function failPayment(context: BucketContext, before: Invoice, failedOn: number): Promise<Invoice> {
  // The time of the first failure remains: the grace period is not prolonged by another attempt.
  const failed = await changeInvoice(context, before, { failed_on: before.failed_on ?? failedOn });
  recordInvoice(context, "invoice.payment-failed", failed, before);
  // A customer who buys a credit pack sees it on the page.
  if (failed.purchase_id === null) await mailAbout(context, "payment-failed", failed);
  await updatePayment(context, failed.subscription_id);
  return failed;
}

/** How much of a credit can be returned to the payment method. What grants paid is returned as a grant. */
export function refundableOf(invoice: Invoice, amount: Minor): Minor {
  if (invoice.status !== "paid") return 0n;
  const left = BigInt(invoice.collected ?? "0") - BigInt(invoice.refunded);
  return amount < left ? amount : left;
}

/** Returns the money of a credit note to the payment method: now, or later by the service of the provider. */
export async function refundInvoice(
  context: BucketContext,
  { seq: invoiceSeq }: Pick<Invoice, "seq">,
  note: Invoice,
): Promise<Invoice> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  const returned = await provider.refund(transaction, {
    invoiceSeq,
    amount: BigInt(note.refunded),
    method: () => readMethod(transaction, bucket, note.customer_key),
  });
  return returned === "requested" ? note : endRefund(context, note, returned);
}

/**
 * Records how much of a refund the payment method got: it failed if that is nothing. The rest becomes a money grant. Of a
 * credit pack, the credit is restored instead, and the credit note is void if nothing was returned.
 */
export async function endRefund(context: BucketContext, before: Invoice, returned: Minor): Promise<Invoice> {
  const { transaction, bucket } = context;
  const amount = BigInt(before.refunded) - returned;
  const isSale = before.purchase_id !== null;
  const failed = { refund_state: "failed", ...(isSale ? { status: "void" } : {}) };
  const result = returned > 0n ? { refund_state: "succeeded", refunded: String(returned) } : failed;
  const after = await changeInvoice(context, before, result);
  recordInvoice(context, returned > 0n ? "credit-note.refunded" : "credit-note.refund-failed", after, before);
  if (returned > 0n) await mailAbout(context, "refund", after);
  if (amount === 0n) return after;
  const invoice = (await store.findInvoiceForUpdate(transaction, bucket.seq, before.corrects_id!))!;
  await changeInvoice(context, invoice, {
    refunded: String(BigInt(invoice.refunded) - amount),
    // A credit note that is void credits nothing: the rest can be refunded again.
    ...(isSale ? { credited: String(BigInt(invoice.credited) - amount) } : {}),
  });
  if (before.purchase_id !== null) {
    const whole = BigInt(before.refunded);
    await restoreAfterRefund(context, before.purchase_id, before.id, { failed: amount, whole });
  } else await grantAmount(context, invoice, amount, { reason: "A refund failed" });
  return after;
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
  const open = await store.invoicesOfSubscription(transaction, bucket.seq, row.id, "open", "uncollectible");
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

/** Changes an invoice, which then has another version. Returns it. */
export async function changeInvoice(
  { transaction, act }: Pick<BucketContext, "transaction" | "act">,
  before: Invoice,
  values: Partial<Invoice>,
): Promise<Invoice> {
  const changed = { ...values, version: before.version + 1, updated_on: act.now };
  await store.updateInvoice(transaction, before, changed);
  return { ...before, ...changed };
}

export function recordInvoice(
  { transaction, act, bucket }: BucketContext,
  kind: Extract<ChangeKind, `invoice.${string}` | `credit-note.${string}`>,
  after: Invoice,
  before?: Invoice,
): void {
  const type = kind.startsWith("credit-note.") ? "credit-note" : "invoice";
  const resource = { type, id: after.id, name: after.number ?? undefined, parent: namedMeteringBucket(bucket) };
  const snapshots = { before: before && presentInvoice(before), after: presentInvoice(after) };
  const action = kind.replace("-failed", "_failed").replace("-uncollectible", "_uncollectible");
  recordChange(transaction, act, kind, { ...resource, ...snapshots, action });
}
