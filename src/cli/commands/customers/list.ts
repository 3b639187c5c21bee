import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the customers of a metering bucket",
  arguments: {},
  options: meteringBucketOption,
  examples: [{ command: "tollgate customers list", text: "Everyone who has, or had, a subscription." }],
  things: "customers",
  columns: ["customerKey", "legalName", "email", "currency", "paymentMethod", "createdOn"],
  list: async (client, { bucket, limit, offset }) =>
    client.customers(await meteringBucket(client, bucket)).list({ limit, offset }),
});
