import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Write an invoice as an HTML page, to print or to send",
  arguments: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  examples: [
    {
      command: "tollgate invoices print inv_0QGzNqW81Kx8VhTb3mPcRdZu > invoice.html",
      text: "Open it in a browser, which also saves it as PDF.",
    },
  ],
  call: async (client, { id, bucket }) => ({
    html: await client.invoices(await meteringBucket(client, bucket)).html(id),
  }),
  show: ({ html }, terminal) => terminal.write(html),
});
