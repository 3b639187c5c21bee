import { serverTimeOf } from "../../../core/access.ts";
import { recordForFollowers } from "../../../core/changes/record.ts";
import { type Period, periodAt, type Renewal } from "../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type BucketContext, nameOf } from "../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../plans/plans.ts";
import type { SubscriptionStatus } from "./schema.ts";
import {
  findSubscription,
  markWithCredits,
  type SubscriptionRow,
  type SubscriptionSummary,
} from "./subscription-store.ts";

type Anchored = Pick<SubscriptionSummary, "quota_reset_anchor" | "renewal_strategy">;

const lastPeriods = new WeakMap<Anchored, Period>();

/**
 * Most events are in the same period as the previous one, and computing it again costs as much as the rest of an event.
 */
export function periodOf({ row }: { row: Anchored }, at: number): Period {
  const last = lastPeriods.get(row);
  if (last && last.start <= at && at < last.end) return last;
  const period = periodAt(row.quota_reset_anchor, row.renewal_strategy as Renewal, at);
  lastPeriods.set(row, period);
  return period;
}

type TrialOf = Pick<SubscriptionSummary, "status" | "trial_end_date" | "trial_end_status">;
type StoredStatusOf = TrialOf & Pick<SubscriptionSummary, "expires_on">;
type StatusOf = StoredStatusOf & Pick<SubscriptionSummary, "blocks_on">;

/**
 * Returns the status of a subscription at a time. It is computed on each read, so that no job can be late. The same
 * rule is in SQL in subscription-store.ts, for filtering; a test compares them.
 */
export function statusAt(subscription: StatusOf, plans: PlanSummary[], now: number): SubscriptionStatus {
  const status = statusIgnoringInvoices(subscription, plans, now);
  const isOverdue = subscription.blocks_on !== null && now >= subscription.blocks_on;
  return isOverdue && allowsUsage(status) ? "unpaid" : status;
}

/** Whether an unpaid invoice causes the status `unpaid`, and not a client that set it: a payment allows usage again. */
export function isBlockedByInvoice(
  subscription: Pick<SubscriptionSummary, "status">,
  status: SubscriptionStatus,
): boolean {
  return status === "unpaid" && subscription.status !== "unpaid";
}

/** Returns the status that the subscription would have if every invoice were paid. */
export function statusIgnoringInvoices(
  subscription: StoredStatusOf,
  plans: PlanSummary[],
  now: number,
): SubscriptionStatus {
  const set = subscription.status as SubscriptionStatus;
  if (isUnpaidPurchase(subscription)) return now < subscription.expires_on! ? "incomplete" : "incomplete-expired";
  if (set !== "trialing" || subscription.trial_end_date === null || now < subscription.trial_end_date) return set;
  // Plans have `paused` or `canceled`. Subscriptions accept any text: `pause` and `cancel` mean the same.
  switch (trialEndStatusOf(subscription, plans)) {
    case "canceled":
    case "cancel":
      return "canceled";
    case "paused":
    case "pause":
      return "inactive";
    default:
      return "active";
  }
}

/**
 * Whether the subscription was purchased and is not paid yet. A client may also set `incomplete`: then it has no
 * `expires_on` and does not expire.
 */
export function isUnpaidPurchase({ status, expires_on }: Pick<SubscriptionSummary, "status" | "expires_on">): boolean {
  return status === "incomplete" && expires_on !== null;
}

/** The subscription's status after its trial: its own value, or that of the first of its plans that has one. */
export function trialEndStatusOf(subscription: TrialOf, plans: PlanSummary[]): string | null {
  return (
    subscription.trial_end_status ?? plans.find((plan) => plan.trial_end_status !== null)?.trial_end_status ?? null
  );
}

/** Whether the subscription allows any usage. */
export function allowsUsage(status: SubscriptionStatus): boolean {
  return status === "active" || status === "trialing";
}

/** Whether usage beyond a maximum is billed, if a plan has a rate for it: not in a trial. */
export function billsUsage(status: SubscriptionStatus): boolean {
  return status === "active";
}

/** A fee that was charged for a plan, and the billing period that it is a part of. */
export interface ChargedFee {
  planId: string;
  label: string;
  currency: string;
  /** The fee of a whole period. */
  amount: string;
  from: number;
  until: number;
  /** Where it was invoiced: an invoice's id and the index of a line. Missing if there was nothing to pay. */
  invoiceId?: string | undefined;
  line?: number | undefined;
}

/** What billing stores with a subscription. */
export interface BillingData {
  /** By the plan's seq. */
  charged: Record<string, ChargedFee>;
  /** When it will be canceled. */
  cancelsOn?: number | undefined;
  /** The plans from the end of the period on. */
  change?: { planExternalIds: string[]; on: number } | undefined;
}

/** The state of a subscription's invoices. */
export interface PaymentData {
  /** Since when an invoice of the subscription is open. */
  openSince?: number | undefined;
  /** When the first open invoice is overdue. */
  failsOn?: number | undefined;
  /** When the last invoice was paid. */
  paidOn?: number | undefined;
}

export function billingOf({ billing }: Pick<SubscriptionRow, "billing">): BillingData {
  return billing === null ? { charged: {} } : (JSON.parse(billing) as BillingData);
}

/** How long usage is awaited before it is billed. */
export const lateMilliseconds = 60 * 60 * 1000;

/** When access ends because of unpaid invoices: null if it does not, undefined if there is no such subscription. */
export async function accessEnd(reads: Reads, bucketSeq: number, id: string): Promise<number | null | undefined> {
  return (await findSubscription(reads, bucketSeq, id))?.blocks_on;
}

export { markWithCredits };

type BillingColumns = Pick<SubscriptionRow, "bills_on" | "blocks_on" | "expires_on" | "payment" | "billing">;

/** Quotas that are in memory are read again after this time. So they need not follow what changes access later. */
export const reloadMilliseconds = 24 * 60 * 60 * 1000;

/** Changes what billing stores. Quotas follow it if access may depend on it before they are read again. */
export async function setBilling(
  { transaction, act, bucket }: BucketContext,
  subscription: SubscriptionRow,
  values: Partial<BillingColumns>,
): Promise<SubscriptionRow> {
  const changed = Object.entries(values).filter(
    ([name, value]) => subscription[name as keyof BillingColumns] !== value,
  );
  if (changed.length === 0) return subscription;
  const columns = Object.fromEntries(changed) as Partial<BillingColumns>;
  await transaction.update("subscriptions", subscription.seq, columns);
  const ends = [subscription.blocks_on, values.blocks_on ?? null];
  const isSoon = (end: number | null) => end !== null && end < serverTimeOf(act) + 2 * reloadMilliseconds;
  if ("blocks_on" in columns && (bucket.test_clock !== null || ends.some(isSoon))) {
    const holder = { bucketId: bucket.id, ...nameOf(bucket), customerKey: subscription.customer_key };
    recordForFollowers(transaction, act, "subscription.updated", subscription.id, holder);
  }
  return { ...subscription, ...columns };
}

/** Grants or caps of a customer have changed: its subscriptions have other limits. Quotas follow it. */
export async function limitsChanged({ transaction, act, bucket }: BucketContext, customerKey: string): Promise<void> {
  await markWithCredits(transaction, bucket.seq, customerKey);
  const holder = { bucketId: bucket.id, ...nameOf(bucket), customerKey };
  recordForFollowers(transaction, act, "subscription.updated", bucket.id, holder);
}

export function presentBilling(subscriptionSummary: SubscriptionSummary, now: number) {
  const billing = subscriptionSummary.billing === null ? undefined : billingOf(subscriptionSummary);
  return {
    ...(subscriptionSummary.payment === null
      ? {}
      : { payment: presentPayment(subscriptionSummary, subscriptionSummary.payment, now) }),
    ...(billing?.cancelsOn === undefined ? {} : { cancelsOn: formatDateTime(billing.cancelsOn) }),
    ...(billing?.change === undefined
      ? {}
      : { planChange: { planExternalIds: billing.change.planExternalIds, on: formatDateTime(billing.change.on) } }),
  };
}

function presentPayment(subscriptionSummary: SubscriptionSummary, text: string, now: number) {
  const { openSince, failsOn, paidOn } = JSON.parse(text) as PaymentData;
  const blocksOn =
    subscriptionSummary.blocks_on === null ? {} : { blocksOn: formatDateTime(subscriptionSummary.blocks_on) };
  if (failsOn !== undefined && now >= failsOn)
    return { state: "failed" as const, since: formatDateTime(failsOn), ...blocksOn };
  if (openSince !== undefined) return { state: "pending" as const, since: formatDateTime(openSince), ...blocksOn };
  if (paidOn !== undefined) return { state: "paid" as const, since: formatDateTime(paidOn) };
  return { state: "not_required" as const, since: formatDateTime(subscriptionSummary.created_on) };
}
