import { named, oneOf, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List invoices and credit notes",
  arguments: {},
  options: {
    ...meteringBucketOption,
    customer: option("only those of this customer", named("NAME")),
    subscription: option("only those of this subscription", named("ID")),
    status: option("only those with this status", oneOf("draft", "open", "paid", "uncollectible", "void")),
  },
  examples: [
    { command: "tollgate invoices list --customer acme", text: "The invoices of acme." },
    {
      command: "tollgate invoices list --status open --all",
      text: "What is due, without invoices that were given up.",
    },
    { command: "tollgate invoices list --status paid --all --csv > payments.csv", text: "What was paid, and when." },
  ],
  things: "invoices",
  filters: ["customer", "subscription", "status"],
  columns: ["number", "customerKey", "type", "status", "total", "amountDue", "currency", "dueOn", "id"],
  csv: async (client, { bucket, customer, subscription, status, limit, offset }) =>
    client
      .invoices(await meteringBucket(client, bucket))
      .listCsv({ customerKey: customer, subscriptionId: subscription, status, limit, offset }),
  list: async (client, { bucket, customer, subscription, status, limit, offset }) =>
    client
      .invoices(await meteringBucket(client, bucket))
      .list({ customerKey: customer, subscriptionId: subscription, status, limit, offset }),
});
