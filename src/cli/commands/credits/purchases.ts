import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the credit packs that a customer bought",
  arguments: { customer: argument("the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate credits purchases acme", text: "Automatic top-ups included." }],
  things: "purchases",
  columns: ["createdOn", "packExternalId", "total", "state", "isTopUp", "refunded", "invoiceId", "id"],
  list: async (client, { customer, bucket, limit, offset }) =>
    client.packPurchases(await meteringBucket(client, bucket), customer).list({ limit, offset }),
});
