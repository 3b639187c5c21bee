import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show an account",
  arguments: { name: argument("the account") },
  options: {},
  examples: [{ command: "tollgate accounts show acme", text: "When it was made." }],
  call: (client, { name }) => client.accounts.get(name),
  show: showFields,
});
