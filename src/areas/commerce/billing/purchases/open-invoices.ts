import { Problem } from "../../../../core/problems/problem.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/state.ts";
import { subscriptionsOf } from "../../subscriptions/subscriptions.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp } from "../customers/customers.ts";
import { type InvoiceRow, openInvoicesOf } from "../invoices/invoice-store.ts";
import { type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { payInvoice, requestPayment } from "../invoices/payments.ts";
import { endPurchases } from "../packs/purchases.ts";
import { providerFor } from "../payments/providers.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";
import { cancelSubscription } from "../periods/plan-changes.ts";
import { segmentKindAt } from "../plan-terms/segments.ts";
import { settleUsed } from "../spending/credit-settlement.ts";
import { completePurchase, invoiceChanged } from "./completion.ts";

/** What a customer owes now, the oldest first. */
export function openInvoices(reads: Reads, bucket: MeteringBucket, customerKey: string): Promise<InvoiceRow[]> {
  return openInvoicesOf(reads, bucket.seq, customerKey);
}

/**
 * To be called after a customer got a payment method: pays what is open, and activates purchases that only lacked a
 * method.
 */
export async function requestOpenPayments(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, act, bucket } = context;
  const provider = await providerFor(transaction, act, bucket);
  await withOpen(context, customerKey, (invoice) => requestPayment(context, provider, invoice));
}

/** Records that the customer has paid what is open. */
export function payOpen(context: BucketContext, customerKey: string): Promise<void> {
  const { act } = context;
  return withOpen(context, customerKey, (invoice) => payInvoice(context, invoice, act.now, null));
}

async function withOpen(
  context: BucketContext,
  customerKey: string,
  work: (invoice: InvoiceRow) => Promise<unknown>,
): Promise<void> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const subscriptions = await subscriptionsOf(transaction, bucket, customerKey);
  // What has expired in the meantime is not paid any more.
  for (const { row } of subscriptions) await settleBilling(context, row.id, act.now);
  for (const { id } of await openInvoicesOf(transaction, bucket.seq, customerKey)) {
    const invoice = await lockInvoice(transaction, bucket, id);
    if (invoice.status !== "open") continue;
    await work(invoice);
    await invoiceChanged(context, invoice);
  }
  for (const { row } of subscriptions) if (isUnpaidPurchase(row)) await completePurchase(context, row.id);
}

/** Ends an expired purchase once its invoice can no longer be paid. The subscription may be deleted. */
export async function endUnpaidPurchase(context: BucketContext, subscriptionId: string | null): Promise<void> {
  const { act } = context;
  if (subscriptionId === null) return;
  try {
    const subscription = await settleBilling(context, subscriptionId, act.now);
    if (!isUnpaidPurchase(subscription.row)) return;
    await endPurchase(context, subscription);
    await schedule(context, subscriptionId);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "not_found") throw error;
  }
}

/**
 * Grants the part of a payment that exceeds the amount due. It pays open invoices that the provider has queued and not
 * begun to charge, such as that of the purchase which replaced this one.
 */
export async function grantPayment(
  context: BucketContext,
  invoice: Invoice,
  amount: Minor,
  isQueued: (invoiceSeq: number) => Promise<boolean>,
): Promise<void> {
  const { transaction, act, bucket } = context;
  await settleUsed(context, invoice.customer_key);
  await grantAmount(context, invoice, amount, { reason: "A payment that exceeds an invoice" });
  const provider = await providerFor(transaction, act, bucket);
  for (const { id, seq } of await openInvoicesOf(transaction, bucket.seq, invoice.customer_key)) {
    if (!(await isQueued(seq))) continue;
    const open = await lockInvoice(transaction, bucket, id);
    if (open.status !== "open") continue;
    await requestPayment(context, provider, open);
    await invoiceChanged(context, open);
  }
}

/** Ends all subscriptions and purchases, also of credit packs, of a customer at once, with final invoices. The automatic top-up is off. */
export async function endSubscriptions(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, act, bucket } = context;
  // Prevents a concurrent purchase.
  await lockCustomerBilling(transaction, bucket, customerKey);
  // Disabled first, so that an open top-up is not recorded as failed.
  await disableTopUp(context, customerKey, "account_deleted");
  await endPurchases(context, customerKey);
  for (const { row } of await subscriptionsOf(transaction, bucket, customerKey)) {
    const settled = await settleBilling(context, row.id, act.now);
    if (isUnpaidPurchase(settled.row)) {
      await endPurchase(context, settled);
      await schedule(context, row.id);
    } else if (segmentKindAt(settled, act.now) !== "idle") await cancelSubscription(context, row.id, { timing: "now" });
  }
}
