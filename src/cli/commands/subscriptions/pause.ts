import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Pause a subscription: nothing is allowed or billed until it is resumed",
  details: "What was used before is billed. The rest of the paid period is not refunded.",
  arguments: { subscription: argument("its id, or the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate subscriptions pause acme", text: "Undone by: tollgate subscriptions resume acme" }],
  async call(client, { subscription, bucket }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.subscriptions(bucketId).pause(subscriptionId);
  },
  show: showFields,
});
