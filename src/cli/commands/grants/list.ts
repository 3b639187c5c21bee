import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the grants of a customer",
  arguments: { customer: argument("the customer's name") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate grants list acme", text: "With what is left of them." }],
  things: "grants",
  columns: ["meter", "currency", "amount", "balance", "funding", "priority", "status", "expiresOn", "id"],
  csv: async (client, { customer, bucket, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).listCsv({ limit, offset }),
  list: async (client, { customer, bucket, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).list({ limit, offset }),
});
