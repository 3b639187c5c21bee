import { argument, flag, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Cancel a subscription, by default at the end of the paid period",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: {
    ...meteringBucketOption,
    timing: option("when it ends; period-end by default", oneOf("now", "period-end")),
    refund: flag("with --timing now: grant the unused rest of the fees as money"),
  },
  examples: [
    { command: "tollgate subscriptions cancel acme", text: "Undone by: tollgate subscriptions resume acme" },
    { command: "tollgate subscriptions cancel acme --timing now --refund", text: "Ends at once." },
  ],
  async call(client, { subscription, bucket, timing, refund }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.subscriptions(bucketId).cancel(subscriptionId, { timing, ...(refund && { refund }) });
  },
  show: showFields,
});
