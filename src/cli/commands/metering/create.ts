import { named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create a metering bucket",
  arguments: {},
  options: { name: option("a name, which can be used instead of the id", named("NAME")) },
  examples: [{ command: "tollgate metering create", text: "Then create plans: tollgate plans create" }],
  call: (client, { name }) => client.metering.create({ name }),
  show: showFields,
});
