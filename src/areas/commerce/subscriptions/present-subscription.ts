import type { z } from "zod";
import type { Renewal } from "../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { PlanSummary } from "../plans/plans.ts";
import type { subscription } from "./schema.ts";
import { periodOf, presentBilling, statusAt, trialEndStatusOf } from "./state.ts";
import type { SubscriptionSummary } from "./subscription-store.ts";

export function presentSubscription(
  found: { row: SubscriptionSummary; plans: PlanSummary[] },
  now: number,
): z.input<typeof subscription> {
  const { row, plans } = found;
  const trialEndStatus = trialEndStatusOf(row, plans);
  return {
    id: row.id,
    planIds: plans.map((each) => each.id),
    planExternalIds: plans.map((each) => each.external_id),
    status: statusAt(row, plans, now),
    type: "periodic",
    renewalStrategy: row.renewal_strategy as Renewal,
    region: row.region as z.input<typeof subscription>["region"],
    customerKey: row.customer_key,
    subscriptionExternalId: row.external_id,
    customerExternalId: row.customer_external_id,
    quotaResetAnchor: formatDateTime(row.quota_reset_anchor),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
    ...(trialEndStatus === null ? {} : { trialEndStatus }),
    ...(row.trial_start_date === null ? {} : { trialStartDate: formatDateTime(row.trial_start_date) }),
    ...(row.trial_end_date === null ? {} : { trialEndDate: formatDateTime(row.trial_end_date) }),
    nextBillingCycle: formatDateTime(row.next_billing_cycle ?? periodOf(found, now).end),
    ...(row.product_key === null ? {} : { productKey: row.product_key }),
    ...presentBilling(row, now),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
