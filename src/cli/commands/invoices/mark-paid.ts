import { argument, named, option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { showInvoice } from "../../output/invoices.ts";

export const command = remoteCommand({
  summary: "Mark an invoice as paid, for payments outside of Tollgate",
  arguments: { id: argument("the invoice's id") },
  options: {
    ...meteringBucketOption,
    paidOn: option("when it was paid; now by default", pastTime),
    reference: option("what identifies the payment", named("TEXT")),
  },
  examples: [
    {
      command: 'tollgate invoices mark-paid inv_0QGzNqW81Kx8VhTb3mPcRdZu --reference "transfer 4711"',
      text: "It was paid today.",
    },
  ],
  call: async (client, { id, bucket, paidOn, reference }) =>
    client.invoices(await meteringBucket(client, bucket)).markPaid(id, { paidOn, reference }),
  show: showInvoice,
});
