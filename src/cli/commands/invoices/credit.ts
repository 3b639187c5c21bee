import { argument, named, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../metering/metering-bucket.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Create a credit note for an invoice",
  details: "It reduces what is due. What was paid already becomes a money grant, which pays next invoices.",
  arguments: { id: argument("the invoice's id") },
  options: {
    ...meteringBucketOption,
    amount: requiredOption("the amount in the currency of the invoice, such as 5.00", named("AMOUNT")),
    description: requiredOption("the reason, which the customer sees"),
  },
  examples: [
    {
      command: 'tollgate invoices credit inv_0QGzNqW81Kx8VhTb3mPcRdZu --amount 5.00 --description "Outage on 3 May"',
      text: "Shows the credit note.",
    },
  ],
  call: async (client, { id, bucket, amount, description }) =>
    client.invoices(await meteringBucket(client, bucket)).credit(id, { lines: [{ description, amount }] }),
  show: showInvoice,
});
