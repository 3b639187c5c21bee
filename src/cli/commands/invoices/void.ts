import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Void an open invoice",
  details:
    "Nothing is due any more. The number stays in the series. To correct a paid invoice: tollgate invoices credit",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [{ command: "tollgate invoices void inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "It cannot be undone." }],
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).void(id),
  show: showInvoice,
});
