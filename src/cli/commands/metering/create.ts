import { flag, named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create a metering bucket",
  arguments: {},
  options: {
    name: option("a name, which can be used instead of the id", named("NAME")),
    keyBucket: option("the key bucket whose consumers are its customers; without it, those of all", named("NAME")),
    test: flag("a test bucket: its time stands still until it is moved, and no money moves"),
  },
  examples: [
    { command: "tollgate metering create --key-bucket main", text: "Then create plans: tollgate plans create" },
    { command: "tollgate metering create --name sandbox --test", text: "To try billing." },
  ],
  call: (client, { name, keyBucket, test }) =>
    client.metering.create({ name, keyBucket, ...(test && { isTest: true }) }),
  show: showFields,
});
