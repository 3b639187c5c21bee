import { billedLimit, type QuotaLimit } from "../../../../counting/quotas/quota-definition.ts";
import type { Amount } from "../../../../lib/amount.ts";
import type { Allowance } from "../../subscriptions/allowance.ts";
import type { SubscriptionRow } from "../../subscriptions/subscriptions.ts";
import type { MeterCredits, SpendingLimits } from "../spending-limits.ts";

/**
 * The limit of a meter.
 * @param isBilling whether usage beyond the maximum is billed: not in a trial
 */
export function limitOf(
  meter: string,
  { max, isPriced, isPrepaid }: Allowance,
  isBilling: boolean,
  limits: SpendingLimits | undefined,
): QuotaLimit {
  const limit = limitWith(max, limits?.meters.get(meter));
  if (!isPriced || !isBilling) return limit;
  if (!isPrepaid) return billedLimit;
  // The budget has the money that is left. Without one, there is none.
  return limits?.budget?.meters.has(meter) ? billedLimit : { ...limit, code: "credit_exhausted" };
}

/** Credits extend the maximum. The code then tells the caller that buying credits would help. */
function limitWith(max: Amount, credits: MeterCredits | undefined): QuotaLimit {
  return credits ? { max: credits.base + credits.units, code: "credit_exhausted" } : { max, code: "quota_exceeded" };
}

/** Returns when time alone changes the status: at the end of a trial, or when an overdue invoice blocks access. */
export function statusEnd(
  { row }: { row: Pick<SubscriptionRow, "status" | "trial_end_date" | "blocks_on"> },
  now: number,
): number {
  const ends = [row.status === "trialing" ? row.trial_end_date : null, row.blocks_on];
  return Math.min(...ends.map((end) => (end === null || now >= end ? Number.POSITIVE_INFINITY : end)));
}
