import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/status.ts";
import { subscriptionsOf } from "../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { disableTopUp } from "../customers/top-up.ts";
import { endPurchases } from "../packs/purchases.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";
import { cancelSubscription } from "../periods/plan-changes.ts";
import { segmentKindAt } from "../plan-terms/segments.ts";

/** Ends all subscriptions and purchases, also of credit packs, of a customer at once, with final invoices. The automatic top-up is off. */
export async function endSubscriptions(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, act, bucket } = context;
  // Prevents a concurrent purchase.
  await lockCustomerBilling(transaction, bucket, customerKey);
  // Disabled first, so that an open top-up is not recorded as failed.
  await disableTopUp(context, customerKey, "account_deleted");
  await endPurchases(context, customerKey);
  for (const { row } of await subscriptionsOf(transaction, bucket, customerKey)) {
    const settled = await settleBilling(context, row.id, act.now);
    if (isUnpaidPurchase(settled.row)) {
      await endPurchase(context, settled);
      await schedule(context, row.id);
    } else if (segmentKindAt(settled, act.now) !== "idle") await cancelSubscription(context, row.id, { timing: "now" });
  }
}
