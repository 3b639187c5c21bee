import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Show a subscription",
  details: "For a customer's name, shows the newest active or trialing subscription.",
  arguments: { id: argument("its id, or the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate subscriptions show acme", text: "For its usage: tollgate usage show" }],
  async call(client, { id, bucket }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, id);
    return client.subscriptions(bucketId).get(subscriptionId);
  },
  show: showFields,
});
