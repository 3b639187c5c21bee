import { formatDateTime } from "../../../lib/time/time.ts";
import type { ConfigurationPlan } from "../schema.ts";
import type { StoredPlan } from "./configurations.ts";

export function presentApplyPlan(row: StoredPlan, now: number): ConfigurationPlan {
  return {
    planId: row.id,
    status: row.applied_on !== null ? "applied" : now >= row.expires_on ? "expired" : "planned",
    ...(row.owner === null ? {} : { as: row.owner }),
    prune: row.is_pruning === 1,
    steps: JSON.parse(row.steps),
    createdOn: formatDateTime(row.created_on),
    expiresOn: formatDateTime(row.expires_on),
    ...(row.applied_on === null ? {} : { appliedOn: formatDateTime(row.applied_on) }),
  };
}
