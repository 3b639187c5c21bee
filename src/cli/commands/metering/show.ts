import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a metering bucket",
  arguments: { id: argument("its id or its name") },
  options: {},
  examples: [
    { command: "tollgate metering show mtr_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Including when it was created." },
  ],
  call: (client, { id }) => client.metering.get(id),
  show: showFields,
});
