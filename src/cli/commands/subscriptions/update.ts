import { changesOf, clearOption } from "../../arguments/changes.ts";
import { amount, argument, flag, jsonObject, listOption, named, option, time } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { findPlans, statuses, statusesText } from "../../options/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Change a subscription: its status, its plans",
  details: statusesText,
  arguments: { subscription: argument("its id, or the customer's name") },
  options: {
    ...meteringBucketOption,
    status: option("the new status", statuses),
    plan: listOption("the new plans, by id or identifier", named("PLAN")),
    prorate: option("with --plan: the share of the new maximum for the rest of this period, 0 to 1", amount),
    trialEnd: option("when the trial ends", time),
    metadata: option("any JSON object, which replaces the existing one", jsonObject),
    dryRun: flag("with --plan: only show the effect"),
    ...clearOption("metadata", "trialEndDate"),
  },
  examples: [
    {
      command: "tollgate subscriptions update sbsc_0QGzNqW81Kx8VhTb3mPcRdZu --status canceled",
      text: "Ends the subscription now.",
    },
    {
      command: "tollgate subscriptions update acme --plan price_pro --prorate 0.5",
      text: "An upgrade in the middle of the month.",
    },
    {
      command: "tollgate subscriptions update acme --plan price_pro --prorate 0.5 --dry-run",
      text: "Shows the effect without changing anything.",
    },
  ],
  async call(client, { subscription, bucket, status, plan, prorate, trialEnd, metadata, dryRun, clear }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    const plans = plan.length > 0 ? await findPlans(client, bucketId, plan) : undefined;
    const planExternalIds = plans?.map(({ planExternalId }) => planExternalId);
    if (dryRun) {
      if (!planExternalIds || status || trialEnd || metadata || clear.length > 0)
        throw new UsageError(
          "--dry-run can only be combined with --plan and --prorate.",
          "Name the plans from then on.",
        );
      return client.subscriptions(bucketId).preview(subscriptionId, { planExternalIds, prorate });
    }
    const changes = changesOf({ status, planExternalIds, prorate, trialEndDate: trialEnd, metadata }, clear);
    return client.subscriptions(bucketId).update(subscriptionId, changes);
  },
  show: showFields,
});
