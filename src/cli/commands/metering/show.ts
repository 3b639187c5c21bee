import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show a metering bucket",
  arguments: { id: argument("its id or its name") },
  options: {},
  examples: [{ command: "tollgate metering show mtr_0QGzNqW81Kx8VhTb3mPcRdZu", text: "When it was made." }],
  call: (client, { id }) => client.metering.get(id),
  show: showFields,
});
