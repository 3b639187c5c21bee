import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the ledger of a grant",
  details: "Entries never change. Usage is entered at the end of each hour, and before invoices.",
  arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate grants entries acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Oldest first." }],
  things: "entries",
  columns: ["createdOn", "kind", "amount", "balance", "meter", "subscriptionId", "invoiceId"],
  csv: async (client, { customer, id, bucket, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).entriesCsv(id, { limit, offset }),
  list: async (client, { customer, id, bucket, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).entries(id, { limit, offset }),
});
