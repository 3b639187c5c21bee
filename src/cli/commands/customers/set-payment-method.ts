import { argument, oneOf, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Set the payment method of a customer in the sandbox",
  arguments: { customer: argument("the customer's name") },
  options: {
    ...meteringBucketOption,
    behavior: requiredOption("the result of its payments", oneOf("succeeds", "fails", "needs-action")),
  },
  examples: [
    {
      command: "tollgate customers set-payment-method acme --behavior fails",
      text: "To test what happens then. No money moves.",
    },
  ],
  call: async (client, { customer, bucket, behavior }) =>
    client.customers(await meteringBucket(client, bucket)).setPaymentMethod(customer, { type: "sandbox", behavior }),
  show: showFields,
});
