import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a key bucket",
  arguments: { name: argument("the bucket") },
  options: {},
  examples: [{ command: "tollgate buckets show main", text: "Its settings." }],
  call: (client, { name }) => client.buckets.get(name),
  show: showFields,
});
