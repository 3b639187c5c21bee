import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Give up an open invoice",
  details:
    "It is not collected any more, and counts as a failed payment: access ends after the grace period, and does not return until " +
    "the invoice is marked as paid or voided.",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate invoices mark-uncollectible inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "A bad debt." }],
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).markUncollectible(id),
  show: showInvoice,
});
