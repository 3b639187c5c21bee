import { argument, named, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Get a link to Stripe's page where a customer changes the payment method",
  details: "The link is valid for minutes.",
  arguments: { customer: argument("the customer's name") },
  options: {
    ...meteringBucketOption,
    returnUrl: requiredOption("where the customer goes afterwards", named("URL")),
  },
  examples: [
    {
      command: "tollgate customers payment-portal acme --return-url https://app.example.com/billing",
      text: "Send the customer to the address that is shown.",
    },
  ],
  call: async (client, { customer, bucket, returnUrl }) =>
    client.customers(await meteringBucket(client, bucket)).paymentPortal(customer, returnUrl),
  show: showFields,
});
