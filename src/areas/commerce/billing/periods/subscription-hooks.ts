import type { Reads } from "../../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { schedulePlans } from "../../plans/scheduled-plans.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import type { SubscriptionHooks } from "../../subscriptions/hooks.ts";
import {
  type BillingData,
  billingOf,
  isUnpaidPurchase,
  limitsChanged,
  periodOf,
  setBilling,
} from "../../subscriptions/state.ts";
import { findSubscriptionForUpdate, recordUpdate, type Subscription } from "../../subscriptions/subscriptions.ts";
import { hasCredits } from "../credit-grants/grants.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { ensureCustomer, fixCapCurrencies } from "../customers/customers.ts";
import { mailPlanChange } from "../invoices/billing-mails.ts";
import { voidOpen } from "../invoices/invoice-actions.ts";
import type { UnusedFee } from "../invoices/returns.ts";
import { creditFee, isCharged, type UsedShare, usedShareOf } from "../plan-terms/lines.ts";
import { openSegment, requireCurrency, segmentKindAt } from "../plan-terms/segments.ts";
import { moveUsage, skipPastUsage } from "../spending/credit-settlement.ts";
import { beginBilling, endPurchase, schedule, settleBilling, transition } from "./billing-steps.ts";
import { billBeforeDeletion } from "./deletions.ts";

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

  async changing(context, id) {
    await settleBilling(context, id, context.act.now);
  },

  async changed(context, before, after) {
    if (isUnpaidPurchase(before.row) && segmentKindAt(after, context.act.now) === "idle")
      await voidOpen(context, after.row.id);
    await billChange(context, before, after, { refund: false });
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

function isPriced({ plans }: Subscription): boolean {
  return plans.some(({ price }) => price !== null);
}

/** Begins a segment with other plans or another status: returns fees of plans that ended, and charges new ones. */
export async function billChange(
  context: BucketContext,
  before: Subscription,
  after: Subscription,
  options: { refund: boolean },
): Promise<void> {
  await changeTerms(context, before, after, options);
  const seqsOf = ({ plans }: Subscription) => plans.map(({ seq }) => seq).join();
  // A purchase that is paid has an invoice, and a subscription that ends has no plan.
  if (seqsOf(before) !== seqsOf(after) && !isUnpaidPurchase(before.row)) await mailPlanChange(context, after);
  await moveUsage(context, after.row.customer_key);
}

async function changeTerms(
  context: BucketContext,
  before: Subscription,
  after: Subscription,
  { refund }: { refund: boolean },
): Promise<void> {
  const { transaction, act, bucket } = context;
  const { row } = after;
  await skipPastUsage(transaction, bucket, after, act.now);
  if (row.billing === null && !isPriced(after)) return;
  const segment = await openSegment(transaction, row.seq);
  if (!segment) {
    await beginBilling(context, after, { fromNextPeriod: false });
    await schedule(context, row.id);
    return;
  }
  const kind = segmentKindAt(after, act.now);
  const plansChange = after.plans.map(({ seq }) => seq).join() !== before.plans.map(({ seq }) => seq).join();
  if (plansChange || kind !== segment.kind) {
    const data = billingOf(row);
    const ended = Object.keys(data.charged).filter((seq) => !after.plans.some((plan) => String(plan.seq) === seq));
    const credited = refund ? Object.keys(data.charged) : kind === "billed" && segment.kind === "billed" ? ended : [];
    if (plansChange) await requireCurrency(transaction, row.seq, after.plans);
    const unused = await takeUnused(transaction, before, data, credited, act.now);
    // What was scheduled for the end of the period is replaced by what happens now.
    if (kind === "idle") data.cancelsOn = undefined;
    if (kind === "idle" || plansChange) {
      data.change = undefined;
      await schedulePlans(transaction, row.seq, []);
    }
    const changed = await setBilling(context, row, { billing: JSON.stringify(data) });
    await transition(context, { ...after, row: changed }, segment, unused);
    if (data.cancelsOn !== undefined && plansChange) await moveCancellation(context, row.id);
  }
  await schedule(context, row.id);
}

/** A cancellation at the end of the period follows the fees: with other plans, another period is paid. */
async function moveCancellation(context: BucketContext, id: string): Promise<void> {
  const { transaction, act, bucket } = context;
  const before = await findSubscriptionForUpdate(transaction, bucket, id);
  const billing = { ...billingOf(before.row), cancelsOn: paidUntil(before, act.now) };
  const row = await setBilling(context, before.row, { billing: JSON.stringify(billing) });
  if (row.billing !== before.row.billing) recordUpdate(context, before, { ...before, row });
}

/** The end of the period that is paid for, or of the quota period if no fee is charged. */
export function paidUntil(subscription: Subscription, now: number): number {
  const ends = Object.values(billingOf(subscription.row).charged).map(({ until }) => until);
  return Math.max(periodOf(subscription, now).end, ...ends);
}

/** Takes fees out of those that are charged. Returns those with an unused share. */
async function takeUnused(
  reads: Reads,
  before: Subscription,
  data: BillingData,
  planSeqs: string[],
  at: number,
): Promise<UnusedFee[]> {
  const unused: UnusedFee[] = [];
  const used = await usedShareAt(reads, before, at);
  for (const seq of planSeqs) {
    const fee = data.charged[seq]!;
    const credit = isCharged(fee, at) ? creditFee(fee, at, used) : undefined;
    if (credit) unused.push({ fee, credit });
    delete data.charged[seq];
  }
  return unused;
}

/** The used share of the whole period, under the limits before the change. */
async function usedShareAt(reads: Reads, subscription: Subscription, at: number): Promise<UsedShare> {
  const { row, plans } = subscription;
  const period = periodOf(subscription, at);
  const used = await usedInPeriod(reads, row.seq, period.start);
  return { share: usedShareOf(used, allowances(row, plans, period.start)), period };
}
