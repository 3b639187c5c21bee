import { argument, oneOf, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the history of a customer's credit: the entries of all grants",
  details: "Entries never change. Usage is entered at the end of each hour, and before invoices.",
  arguments: { customer: argument("the customer's name") },
  options: { ...meteringBucketOption, order: option("desc: the newest first", oneOf("asc", "desc")) },
  examples: [
    { command: "tollgate grants history acme --order desc --limit 20", text: "What happened last." },
    { command: "tollgate grants history acme --all --csv > credit.csv", text: "The whole ledger." },
  ],
  things: "entries",
  columns: ["createdOn", "kind", "amount", "currency", "meter", "reason", "grantId"],
  csv: async (client, { customer, bucket, order, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).historyCsv({ order, limit, offset }),
  list: async (client, { customer, bucket, order, limit, offset }) =>
    client.grants(await meteringBucket(client, bucket), customer).history({ order, limit, offset }),
});
