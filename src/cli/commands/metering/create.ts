import { named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create a metering bucket",
  arguments: {},
  options: { name: option("its name, which may stand wherever its id does", named("NAME")) },
  examples: [{ command: "tollgate metering create", text: "Then plans for it: tollgate plans create" }],
  call: (client, { name }) => client.metering.create({ name }),
  show: showFields,
});
