import { invalid } from "../../core/problems/problem.ts";
import { formatDateTime, parseDateTime } from "../../lib/time/time.ts";
import type { Plan } from "../plans/plans.ts";
import type { SubscriptionStatus } from "./schema.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Throws if a trial would end before it starts. */
export function requireOrderedTrial(start: number | null | undefined, end: number | null | undefined): void {
  if (typeof start === "number" && typeof end === "number" && end < start)
    throw invalid("/trialEndDate", "must not be before trialStartDate");
}

/** Returns the given dates. If a trial has no end, it is computed from the first plan that has `trialDays`. */
export function trialDates(
  status: SubscriptionStatus,
  start: number | null,
  end: number | null,
  plans: Plan[],
  now: number,
) {
  const days = plans.find((plan) => plan.trial_days !== null)?.trial_days ?? null;
  if (status !== "trialing" || days === null || end !== null) return { trial_start_date: start, trial_end_date: end };
  const from = start ?? now;
  const until = from + days * dayMilliseconds;
  if (parseDateTime(formatDateTime(until)) === undefined)
    throw invalid("/trialStartDate", "must be earlier: the plan's trialDays would end after the year 9999");
  return { trial_start_date: from, trial_end_date: until };
}
