import { formatDateTime } from "../../../lib/time/time.ts";
import type { ConfigurationPlan } from "../schema.ts";
import type { StoredPlan } from "./configurations.ts";

export function presentApplyPlan(plan: StoredPlan, now: number): ConfigurationPlan {
  return {
    planId: plan.id,
    status: plan.applied_on !== null ? "applied" : now >= plan.expires_on ? "expired" : "planned",
    ...(plan.owner === null ? {} : { as: plan.owner }),
    prune: plan.is_pruning === 1,
    steps: JSON.parse(plan.steps),
    createdOn: formatDateTime(plan.created_on),
    expiresOn: formatDateTime(plan.expires_on),
    ...(plan.applied_on === null ? {} : { appliedOn: formatDateTime(plan.applied_on) }),
  };
}
