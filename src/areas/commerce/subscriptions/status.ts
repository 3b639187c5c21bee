import type { PlanSummary } from "../plans/plans.ts";
import type { SubscriptionStatus } from "./schema.ts";
import type { SubscriptionSummary } from "./subscription-store.ts";

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
