import { type Cause, systemAct } from "../../../../core/access.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase, lateMilliseconds, limitsChanged } from "../../subscriptions/state.ts";
import {
  deleteWithUsage,
  findSubscriptionForUpdate,
  restoreSubscription,
  type Subscription,
  type SubscriptionHooks,
} from "../../subscriptions/subscriptions.ts";
import { hasCredits } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { ensureCustomer, fixCapCurrencies } from "../customers/customers.ts";
import { voidOpen } from "../invoices/invoice-actions.ts";
import { invoicesOfSubscription } from "../invoices/invoice-store.ts";
import {
  beginSegment,
  billingSegmentsOf,
  hasPricedMeters,
  openSegment,
  segmentKindAt,
} from "../plan-terms/segments.ts";
import { moveUsage, returnLostUnits, settleBefore } from "../spending/credit-settlement.ts";
import { beginBilling, endPurchase, invoice, schedule, settleBilling } from "./billing-steps.ts";
import { finalizeDraft } from "./finalization.ts";
import { billChange, isPriced } from "./plan-changes.ts";
import { keepRecurringFees } from "./recurring-revenue.ts";

/** Bills subscriptions in the transactions that change them. */
export const billingHooks: SubscriptionHooks = {
  creating: lockCustomerBilling,

  async created(context, created) {
    const { transaction, bucket } = context;
    await ensureCustomer(context, created.row.customer_key);
    if (await hasCredits(transaction, bucket, created.row.customer_key))
      await limitsChanged(context, created.row.customer_key);
    if (isPriced(created)) {
      await beginBilling(context, created, { fromNextPeriod: false });
      await schedule(context, created.row.id);
    }
    await moveUsage(context, created.row.customer_key);
  },

  changing: (context, id) => settleBilling(context, id, context.act.now),

  async changed(context, before, after) {
    if (isUnpaidPurchase(before.row) && segmentKindAt(after, context.act.now) === "idle")
      await voidOpen(context, after.row.id);
    await billChange(context, before, after);
  },

  async deleting(context, id) {
    const subscription = await settleBilling(context, id, context.act.now);
    await fixCapCurrencies(context.transaction, context.bucket, subscription.row.customer_key);
    if (isUnpaidPurchase(subscription.row)) {
      await endPurchase(context, subscription);
      return undefined;
    }
    const keptUntil = await billBeforeDeletion(context, subscription);
    const { customer_key: customerKey, seq: deletedSeq } = subscription.row;
    await moveUsage(context, customerKey, { deletedSeq });
    return keptUntil;
  },
};

const endOfTime = Number.POSITIVE_INFINITY;

/**
 * Bills a subscription that is about to be deleted at once, without the hour in which late usage is awaited. Returns when that
 * hour ends, if usage may arrive in it that has a price: of requests that are in progress, or that other nodes have counted.
 */
async function billBeforeDeletion(context: BucketContext, subscription: Subscription): Promise<number | undefined> {
  const { transaction, act, bucket } = context;
  const { row, plans } = subscription;
  if (row.billing === null) return undefined;
  await keepRecurringFees(transaction, bucket, row.seq, act.now);
  const segment = await openSegment(transaction, row.seq);
  const canceled = { row: { ...row, status: "canceled" }, plans };
  // No request begins from now on.
  if (segment && segment.kind !== "idle") {
    const { lost } = await beginSegment(transaction, canceled, segment, act.now);
    await returnLostUnits(context, row.customer_key, lost);
  }
  for (const draft of await invoicesOfSubscription(transaction, bucket.seq, row.id, "draft"))
    if (draft.finalizes_on !== null) await finalizeDraft(context, subscription, draft, endOfTime);
  const current = await findSubscriptionForUpdate(transaction, bucket, row.id);
  await invoice(context, current, [], { billableUntil: endOfTime });
  const isPriced = (await billingSegmentsOf(transaction, row.seq)).some(hasPricedMeters);
  return isPriced ? act.now + lateMilliseconds : undefined;
}

/** Bills what has arrived since a subscription was deleted, as for one that was canceled then, and deletes the usage. */
export async function finishDeletion(
  context: BucketContext<Cause>,
  { id, customer_key, bills_on }: { id: string; customer_key: string; bills_on: number },
): Promise<void> {
  const { transaction, act: cause, bucket } = context;
  const act = systemAct(cause, bills_on);
  await lockCustomerBilling(transaction, bucket, customer_key);
  const seq = await restoreSubscription(transaction, bucket.seq, id);
  // Another node was faster.
  if (seq === undefined) return;
  const subscription = await findSubscriptionForUpdate(transaction, bucket, id);
  await settleBefore({ ...context, act }, subscription);
  await invoice({ ...context, act }, subscription, [], { billableUntil: endOfTime });
  await deleteWithUsage(transaction, seq);
}
