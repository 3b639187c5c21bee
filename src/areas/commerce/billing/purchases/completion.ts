import { ifFound } from "../../../../core/problems/problem.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/state.ts";
import {
  findSubscriptionForUpdate,
  type Subscription,
  subscriptionsOf,
  updateSubscription,
} from "../../subscriptions/subscriptions.ts";
import { grantAmount } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp, findCustomer, methodOf } from "../customers/customers.ts";
import { allInvoicesOf, type InvoiceRow, openInvoices } from "../invoices/invoice-store.ts";
import { type Invoice, lockInvoice } from "../invoices/invoices.ts";
import { payInvoice, requestPayment } from "../invoices/payments.ts";
import { packInvoiceChanged } from "../packs/pack-purchases.ts";
import { endPurchases } from "../packs/purchases.ts";
import { providerFor } from "../payments/providers.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";
import { billChange, cancelSubscription } from "../periods/plan-changes.ts";
import { settleRollovers } from "../periods/rollovers.ts";
import { segmentKindAt } from "../plan-terms/segments.ts";
import { settleUsed } from "../spending/credit-settlement.ts";

export { openInvoices };

/**
 * To be called after each change of an invoice: activates a purchase that is paid, grants the credit of a pack, grants or
 * voids units that are carried over, and stores when the next step of billing is due. The subscription may be deleted.
 */
export async function invoiceChanged(
  context: BucketContext,
  { subscription_id, ...invoice }: Pick<InvoiceRow, "id" | "subscription_id" | "purchase_id" | "customer_key">,
): Promise<void> {
  await packInvoiceChanged(context, invoice);
  if (subscription_id === null) return;
  await settleRollovers(context, subscription_id);
  await ifFound(completePurchase(context, subscription_id).then(() => schedule(context, subscription_id)));
}

/** Activates a purchase if its invoice is paid, or if it only lacked a payment method. */
export async function completePurchase(context: BucketContext, id: string): Promise<void> {
  const { transaction, bucket } = context;
  const before = await findSubscriptionForUpdate(transaction, bucket, id);
  if (!isUnpaidPurchase(before.row) || !(await isComplete(context, before))) return;
  const status = before.row.trial_start_date === null ? "active" : "trialing";
  const after = await updateSubscription(context, before, { status });
  await billChange(context, before, after);
  await endFreeSubscriptions(context, after);
}

async function isComplete({ transaction, act, bucket }: BucketContext, { row }: Subscription): Promise<boolean> {
  const invoices = await allInvoicesOf(transaction, bucket.seq, row.id);
  if (invoices.some(({ status }) => status === "open" || status === "draft")) return false;
  if (invoices.length > 0) return invoices.some(({ status }) => status === "paid");
  if (act.now >= row.expires_on!) return false;
  const hasMethod = methodOf(await findCustomer(transaction, bucket, row.customer_key)) !== undefined;
  return hasMethod || !(await providerFor(transaction, act, bucket)).paysOnline;
}

/** Cancels the free subscriptions that a new one replaces. */
export async function endFreeSubscriptions(context: BucketContext, { row }: Subscription): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const before of await subscriptionsOf(transaction, bucket, row.customer_key)) {
    const isPriced = before.plans.some(({ price }) => price !== null);
    if (before.row.seq === row.seq || isPriced || segmentKindAt(before, act.now) === "idle") continue;
    const locked = await findSubscriptionForUpdate(transaction, bucket, before.row.id);
    const after = await updateSubscription(context, locked, { status: "canceled" });
    await billChange(context, before, after);
  }
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
  for (const { id } of await openInvoices(transaction, bucket, customerKey)) {
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
  const subscription = await ifFound(settleBilling(context, subscriptionId, act.now));
  if (!subscription || !isUnpaidPurchase(subscription.row)) return;
  await endPurchase(context, subscription);
  await schedule(context, subscriptionId);
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
  for (const { id, seq } of await openInvoices(transaction, bucket, invoice.customer_key)) {
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
