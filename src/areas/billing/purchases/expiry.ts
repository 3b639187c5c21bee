import { Problem } from "../../../core/problems/problem.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/status.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";

/** Ends an expired purchase once its invoice can no longer be paid. The subscription may be deleted. */
export async function endUnpaidPurchase(context: BucketContext, subscriptionId: string | null): Promise<void> {
  const { act } = context;
  if (subscriptionId === null) return;
  try {
    const subscription = await settleBilling(context, subscriptionId, act.now);
    if (!isUnpaidPurchase(subscription.row)) return;
    await endPurchase(context, subscription);
    await schedule(context, subscriptionId);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "not_found") throw error;
  }
}
