import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../metering/customer-subscription.ts";
import { meteringBucketOption } from "../../metering/metering-bucket.ts";

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
