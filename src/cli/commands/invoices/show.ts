import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Show an invoice and its lines",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [
    { command: "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu", text: "From: tollgate invoices list" },
    { command: "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu --csv", text: "A row for each line." },
  ],
  csv: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).csv(id),
  call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).get(id),
  show: showInvoice,
});
