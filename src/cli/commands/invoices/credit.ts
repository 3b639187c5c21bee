import { argument, integer, named, oneOf, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Create a credit note for an invoice",
  details:
    "It reduces what is due. What was paid already becomes a money grant, which pays next invoices, or is refunded with --to.",
  arguments: { id: argument("the invoice's id") },
  options: {
    ...meteringBucketOption,
    amount: requiredOption("the amount in the currency of the invoice, such as 5.00", named("AMOUNT")),
    description: requiredOption("the reason, which the customer sees"),
    line: option("the line of the invoice that it credits, counted from 0; all by default", integer),
    to: option("where what was paid goes; balance by default", oneOf("balance", "payment-method")),
    reference: option("of a refund outside of Tollgate, such as a transfer"),
  },
  examples: [
    {
      command: 'tollgate invoices credit inv_0QGzNqW81Kx8VhTb3mPcRdZu --amount 5.00 --description "Outage on 3 May"',
      text: "Shows the credit note.",
    },
    {
      command:
        'tollgate invoices credit inv_0QGzNqW81Kx8VhTb3mPcRdZu --amount 5.00 --description "Outage on 3 May" --to payment-method',
      text: "Refunds it to the payment method.",
    },
  ],
  call: async (client, { id, bucket, amount, description, line, to, reference }) =>
    client
      .invoices(await meteringBucket(client, bucket))
      .credit(id, { lines: [{ description, amount, line }], to, reference }),
  show: showInvoice,
});
