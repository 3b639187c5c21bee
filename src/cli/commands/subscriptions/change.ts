import { argument, flag, listOption, named, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { findPlans } from "../../options/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Change the plans and the fees of a subscription",
  details:
    "By default now if the total fee rises, otherwise at the end of the paid period. A change now credits the unused " +
    "rest of the old fee and charges the new one for the rest of the period.",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: {
    ...meteringBucketOption,
    plan: listOption("the new plans, by id or identifier", named("PLAN")),
    timing: option("when it happens", oneOf("now", "period-end")),
    dryRun: flag("only show when it would happen, and its invoice"),
  },
  examples: [
    { command: "tollgate subscriptions change acme --plan price_pro --dry-run", text: "What it would cost." },
    { command: "tollgate subscriptions change acme --plan price_pro", text: "An upgrade happens now." },
  ],
  async call(client, { subscription, bucket, plan, timing, dryRun }) {
    if (plan.length === 0) throw new UsageError("--plan is missing.", "For example: --plan price_gold");
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    const plans = await findPlans(client, bucketId, plan);
    const change = { planExternalIds: plans.map(({ planExternalId }) => planExternalId), timing };
    const subscriptions = client.subscriptions(bucketId);
    return dryRun ? subscriptions.previewChange(subscriptionId, change) : subscriptions.change(subscriptionId, change);
  },
  show: showFields,
});
