import { argument, named, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Sell a credit pack to a customer, who pays at the address that is shown",
  details: "The credit is granted when it is paid. There is no address if the customer's payment method pays.",
  arguments: { customer: argument("the customer's name"), pack: argument("the pack's identifier") },
  options: {
    ...meteringBucketOption,
    returnUrl: requiredOption("where the customer goes after the payment", named("URL")),
  },
  examples: [
    {
      command: "tollgate credits sell acme credits_1000 --return-url https://app.example.com/billing",
      text: "Send the customer to the address that is shown.",
    },
  ],
  call: async (client, { customer, pack, bucket, returnUrl }) =>
    client.packPurchases(await meteringBucket(client, bucket), customer).purchase({ packExternalId: pack, returnUrl }),
  show: showFields,
});
