import { remoteCommand, showFields } from "../../support/remote.ts";
import { named, option } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Make a metering bucket",
  arguments: {},
  options: { name: option("its name, which may stand wherever its id does", named("NAME")) },
  examples: [{ command: "tollgate metering create", text: "Then plans for it: tollgate plans create" }],
  call: (client, { name }) => client.metering.create({ name }),
  show: showFields,
});
