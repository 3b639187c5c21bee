import { changedConsumers, manyConsumersOptions, selectedConsumers } from "../../bulk-changes/many-consumers.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Resume suspended consumers: their keys and programs work again",
  arguments: {},
  options: {
    ...bucketOption,
    ...manyConsumersOptions,
  },
  details: "Disabled keys stay disabled. More than 1,000 are a job, which `tollgate jobs show` follows.",
  examples: [{ command: "tollgate consumers resume --name acme", text: "Its customer can change things again too." }],
  call: (client, { bucket, where, name, dryRun }) =>
    client.consumers(bucket).updateMany({
      ...selectedConsumers(where, name),
      set: { isSuspended: false },
      dryRun,
    }),
  ...changedConsumers("Resumed"),
});
