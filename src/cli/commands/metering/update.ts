import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Change a metering bucket",
  arguments: { bucket: argument("its id or its name") },
  options: {
    name: option("the new name", named("NAME")),
    keyBucket: option("the key bucket whose consumers are its customers", named("NAME")),
    ...clearOption("name", "keyBucket"),
  },
  examples: [
    {
      command: "tollgate metering update mtr_0QGzNqW81Kx8VhTb3mPcRdZu --name shop",
      text: "Then use --bucket shop.",
    },
  ],
  call: (client, { bucket, name, keyBucket, clear }) =>
    client.metering.update(bucket, changesOf({ name, keyBucket }, clear)),
  show: showFields,
});
