import { formatDateTime } from "../../../lib/time/time.ts";
import type { PlanRow } from "./plan-store.ts";
import { presentPrices } from "./prices.ts";

export function presentPlan(plan: Omit<PlanRow, "seq">, hasSubscriptions: boolean) {
  return {
    id: plan.id,
    label: plan.label,
    planExternalId: plan.external_id,
    meters: JSON.parse(plan.meters),
    ...(plan.trial_days === null ? {} : { trialDays: plan.trial_days }),
    ...(plan.trial_end_status === null ? {} : { trialEndStatus: plan.trial_end_status as "paused" | "canceled" }),
    ...(plan.is_trial_collect_payment === null ? {} : { isTrialCollectPayment: plan.is_trial_collect_payment === 1 }),
    ...presentPrices(plan),
    hasSubscriptions,
    createdOn: formatDateTime(plan.created_on),
    updatedOn: formatDateTime(plan.updated_on),
  };
}
