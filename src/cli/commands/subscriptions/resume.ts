import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Resume a paused subscription, or undo a cancellation before the period ends",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate subscriptions resume acme", text: "It renews again." }],
  async call(client, { subscription, bucket }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.subscriptions(bucketId).resume(subscriptionId);
  },
  show: showFields,
});
