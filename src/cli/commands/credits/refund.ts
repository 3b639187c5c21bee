import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Refund what is left of a credit pack",
  details: "Returns the price of the unused part, with tax. What is left can no longer be used.",
  arguments: { customer: argument("the customer's name"), id: argument("the purchase's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate credits refund acme pprc_0QGzNqW81Kx8VhTb3mPcRdZu", text: "It cannot be undone." }],
  call: async (client, { customer, id, bucket }) =>
    client.packPurchases(await meteringBucket(client, bucket), customer).refund(id),
  show: showFields,
});
