import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findSubscription } from "../../options/find-subscription.ts";
import { meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Show the next invoice of a subscription, if nothing more is used",
  arguments: { subscription: argument("the subscription's id, or the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate invoices upcoming acme", text: "What acme will pay next." }],
  async call(client, { subscription, bucket }) {
    const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
    return client.subscriptions(bucketId).upcomingInvoice(subscriptionId);
  },
  show: showInvoice,
});
