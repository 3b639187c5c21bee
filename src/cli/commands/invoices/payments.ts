import { named, option, pastTime } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List payments and refunds",
  details: "What credits paid is not a payment. As CSV, refunds are negative, so that the amounts add up.",
  arguments: {},
  options: {
    ...meteringBucketOption,
    customer: option("only those of this customer", named("NAME")),
    from: option("only those since this time, such as -30d", pastTime),
    to: option("before then", pastTime),
  },
  examples: [
    { command: "tollgate invoices payments --customer acme", text: "What acme has paid." },
    {
      command: "tollgate invoices payments --from 2026-01-01T00:00:00Z --all --csv > payments.csv",
      text: "For bookkeeping.",
    },
  ],
  things: "payments",
  filters: ["customer", "from", "to"],
  columns: ["paidOn", "type", "customerKey", "amount", "currency", "state", "number", "reference"],
  csv: async (client, { bucket, customer, from, to, limit, offset }) =>
    client
      .invoices(await meteringBucket(client, bucket))
      .paymentsCsv({ customerKey: customer, from, to, limit, offset }),
  list: async (client, { bucket, customer, from, to, limit, offset }) =>
    client.invoices(await meteringBucket(client, bucket)).payments({ customerKey: customer, from, to, limit, offset }),
});
