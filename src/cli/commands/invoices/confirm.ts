import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Confirm the second step of a payment in the sandbox",
  details: "For an open invoice whose payment method has the behavior needs-action.",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate invoices confirm inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "As the customer would." }],
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).confirm(id),
  show: showInvoice,
});
