import { formatDateTime } from "../../../lib/time/time.ts";
import type { PlanRow } from "../plan-store.ts";
import { presentPrices } from "./prices.ts";

export function presentPlan(row: Omit<PlanRow, "seq">, hasSubscriptions: boolean) {
  return {
    id: row.id,
    label: row.label,
    planExternalId: row.external_id,
    meters: JSON.parse(row.meters),
    ...(row.trial_days === null ? {} : { trialDays: row.trial_days }),
    ...(row.trial_end_status === null ? {} : { trialEndStatus: row.trial_end_status as "paused" | "canceled" }),
    ...(row.is_trial_collect_payment === null ? {} : { isTrialCollectPayment: row.is_trial_collect_payment === 1 }),
    ...presentPrices(row),
    hasSubscriptions,
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
