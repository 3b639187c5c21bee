import { option } from "../../arguments/values.ts";
import { changedConsumers, manyConsumersOptions, selectedConsumers } from "../../bulk-changes/many-consumers.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Suspend consumers: their keys and programs are rejected immediately",
  details:
    "In the portal, their customers can sign in, read the reason and pay, and change nothing. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: {
    ...bucketOption,
    ...manyConsumersOptions,
    reason: option("why, for the customers to read in the portal"),
  },
  examples: [
    { command: 'tollgate consumers suspend --name acme --reason "Invoice WB-12 is overdue."', text: "One consumer." },
    { command: "tollgate consumers suspend --where tag.plan=trial --dry-run", text: "Those that would be suspended." },
  ],
  call: (client, { bucket, where, name, dryRun, reason }) =>
    client.consumers(bucket).updateMany({
      ...selectedConsumers(where, name),
      set: { isSuspended: true, suspensionReason: reason ?? null },
      dryRun,
    }),
  ...changedConsumers("Suspended"),
});
