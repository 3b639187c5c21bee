import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show an export",
  arguments: { name: argument("the export's name") },
  options: {},
  examples: [{ command: "tollgate exports show warehouse", text: "With its last hour, delay and error." }],
  call: (client, { name }) => client.exports.get(name),
  show: showFields,
});
