import { Problem } from "../../../../core/problems/problem.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/state.ts";
import {
  findSubscriptionForUpdate,
  type Subscription,
  subscriptionsOf,
  updateSubscription,
} from "../../subscriptions/subscriptions.ts";
import { findCustomer, methodOf } from "../customers/customers.ts";
import { allInvoicesOf, type InvoiceRow } from "../invoices/invoice-store.ts";
import { packInvoiceChanged } from "../packs/delivery.ts";
import { providerFor } from "../payments/providers.ts";
import { schedule } from "../periods/billing-steps.ts";
import { billChange } from "../periods/plan-changes.ts";
import { settleRollovers } from "../periods/rollovers.ts";
import { segmentKindAt } from "../plan-terms/segments.ts";

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
  try {
    await completePurchase(context, subscription_id);
    await schedule(context, subscription_id);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "not_found") throw error;
  }
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
