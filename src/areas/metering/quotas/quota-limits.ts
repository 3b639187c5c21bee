import type { QuotaLimit } from "../../../counting/quotas/quota-definition.ts";
import type { Amount } from "../../../lib/amount.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { MeterCredits } from "../spending-limits.ts";

/** Credits extend the maximum. The code then tells the caller that buying credits would help. */
export function limitWith(max: Amount, credits: MeterCredits | undefined): QuotaLimit {
  return credits ? { max: credits.base + credits.units, code: "credit_exhausted" } : { max, code: "quota_exceeded" };
}

/** Returns when time alone changes the status: at the end of a trial, or when an overdue invoice blocks access. */
export function statusEnd({ row }: Subscription, now: number): number {
  const ends = [row.status === "trialing" ? row.trial_end_date : null, row.blocks_on];
  return Math.min(...ends.map((end) => (end === null || now >= end ? Number.POSITIVE_INFINITY : end)));
}
