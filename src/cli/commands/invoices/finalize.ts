import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Finalize a draft before its time",
  details: "Numbers the invoice, after which it never changes, and collects it.",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [
    { command: "tollgate invoices finalize inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Does not wait for late usage." },
  ],
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).finalize(id),
  show: showInvoice,
});
