import type { Customer } from "../../../client/index.ts";
import { oneOf, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = listCommand({
  summary: "List the customers of a metering bucket",
  arguments: {},
  options: {
    ...meteringBucketOption,
    sort: option("those who owe the most first", oneOf("amountDue")),
  },
  examples: [
    { command: "tollgate customers list", text: "Everyone who has, or had, a subscription." },
    { command: "tollgate customers list --sort amountDue --limit 20", text: "The 20 customers who owe the most." },
  ],
  things: "customers",
  columns: ["customerKey", "legalName", "email", "currency", "amountDue", "paymentMethod", "createdOn"],
  row: ({ amountDue }: Customer) => ({ amountDue: amountDue?.map(({ amount, currency }) => `${amount} ${currency}`) }),
  list: async (client, { bucket, sort, limit, offset }) =>
    client.customers(await meteringBucket(client, bucket)).list({ sort, limit, offset }),
});
