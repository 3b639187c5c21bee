import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Try again to collect an open invoice",
  details: "From the customer's money grants and payment method.",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate invoices collect inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "After a failed payment." }],
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).collect(id),
  show: showInvoice,
});
