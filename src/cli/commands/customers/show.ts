import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Show a customer: address, payment method, balances",
  arguments: { customer: argument("the customer's name") },
  options: meteringBucketOption,
  examples: [
    {
      command: "tollgate customers show acme",
      text: "Its invoices are listed by tollgate invoices list --customer acme.",
    },
  ],
  call: async (client, { customer, bucket }) => client.customers(await meteringBucket(client, bucket)).get(customer),
  show: showFields,
});
