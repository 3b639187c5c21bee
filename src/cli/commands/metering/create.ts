import { remoteCommand, showFields } from "../../remote.ts";

export const command = remoteCommand({
  summary: "Make a metering bucket",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate metering create", text: "Then plans for it: tollgate plans create" }],
  call: (client) => client.metering.create(),
  show: showFields,
});
