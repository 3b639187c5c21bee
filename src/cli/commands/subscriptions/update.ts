import { changesOf, clearOption } from "../../arguments/changes.ts";
import { amount, argument, flag, jsonObject, listOption, named, option, time } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../metering/customer-subscription.ts";
import { meteringBucketOption } from "../../metering/metering-bucket.ts";
import { findPlans, statuses, statusesText } from "../../metering/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Change a subscription: its status, its plans",
  details: statusesText,
  arguments: { subscription: argument("its id, or the customer's name") },
  options: {
    ...meteringBucketOption,
    status: option("what it is from now on", statuses),
    plan: listOption("the plans from now on, by id or identifier", named("PLAN")),
    prorate: option("with --plan: the share of the new maximum that the rest of this period adds, 0 to 1", amount),
    trialEnd: option("when the trial ends", time),
    metadata: option("in the place of the old", jsonObject),
    dryRun: flag("with --plan: only show what it would do"),
    ...clearOption("metadata", "trialEndDate"),
  },
  examples: [
    {
      command: "tollgate subscriptions update sbsc_0QGzNqW81Kx8VhTb3mPcRdZu --status canceled",
      text: "No more from now on.",
    },
    {
      command: "tollgate subscriptions update acme --plan price_pro --prorate 0.5",
      text: "An upgrade in the middle of the month.",
    },
    {
      command: "tollgate subscriptions update acme --plan price_pro --prorate 0.5 --dry-run",
      text: "What it would make of this period.",
    },
  ],
  async call(client, { subscription, bucket, status, plan, prorate, trialEnd, metadata, dryRun, clear }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    const plans = plan.length > 0 ? await findPlans(client, bucketId, plan) : undefined;
    const planExternalIds = plans?.map(({ planExternalId }) => planExternalId);
    if (dryRun) {
      if (!planExternalIds || status || trialEnd || metadata || clear.length > 0)
        throw new UsageError("--dry-run goes with --plan and --prorate alone.", "Name the plans from then on.");
      return client.subscriptions(bucketId).preview(subscriptionId, { planExternalIds, prorate });
    }
    const changes = changesOf({ status, planExternalIds, prorate, trialEndDate: trialEnd, metadata }, clear);
    return client.subscriptions(bucketId).update(subscriptionId, changes);
  },
  show: showFields,
});
