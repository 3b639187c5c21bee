import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/status.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";

/** Ends an expired purchase once its invoice can no longer be paid. The subscription may be deleted. */
export async function endUnpaidPurchase(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  subscriptionId: string | null,
): Promise<void> {
  if (subscriptionId === null) return;
  try {
    const subscription = await settleBilling(transaction, act, bucket, subscriptionId, act.now);
    if (!isUnpaidPurchase(subscription.row)) return;
    await endPurchase(transaction, act, bucket, subscription);
    await schedule(transaction, act, bucket, subscriptionId);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "not_found") throw error;
  }
}
