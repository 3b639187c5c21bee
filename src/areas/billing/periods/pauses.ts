import { Problem } from "../../../core/problems/problem.ts";
import { unconditional } from "../../../lib/http/etag.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { billingOf } from "../../subscriptions/billing-state.ts";
import { statusIgnoringInvoices } from "../../subscriptions/status.ts";
import { updateSubscription } from "../../subscriptions/subscriptions.ts";
import { settleBilling } from "./billing-steps.ts";
import { requireInForce, resumeSubscription } from "./plan-changes.ts";
import { billChange } from "./subscription-hooks.ts";

/**
 * Pauses a subscription: its status is `inactive` and nothing is billed until it is resumed. What was used before is
 * billed, and the rest of the period is not refunded.
 */
export async function pauseSubscription(context: BucketContext, id: string): Promise<void> {
  const { act } = context;
  const before = await settleBilling(context, id, act.now);
  requireInForce(before, act.now);
  const { cancelsOn, change } = billingOf(before.row);
  if (cancelsOn !== undefined || change !== undefined) throw new Problem("subscription_change_scheduled");
  const after = await updateSubscription(context, id, { status: "inactive" }, unconditional);
  await billChange(context, before, after, { refund: false });
}

/**
 * Resumes a subscription that is paused, or undoes a cancellation at the end of the period. A period that is paid for
 * continues; otherwise the fee is charged for the rest of the current period. A trial that is not over continues.
 */
export async function resumeOrUndo(context: BucketContext, id: string): Promise<void> {
  const { act } = context;
  const before = await settleBilling(context, id, act.now);
  const { row, plans } = before;
  if (statusIgnoringInvoices(row, plans, act.now) !== "inactive") return resumeSubscription(context, id);
  const isTrial = row.trial_end_date !== null && act.now < row.trial_end_date;
  const status = isTrial ? ("trialing" as const) : ("active" as const);
  const after = await updateSubscription(context, id, { status }, unconditional);
  await billChange(context, before, after, { refund: false });
}
