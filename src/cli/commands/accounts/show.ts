import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show an account",
  arguments: { name: argument("the account") },
  options: {},
  examples: [{ command: "tollgate accounts show acme", text: "Including when it was created." }],
  call: (client, { name }) => client.accounts.get(name),
  show: showFields,
});
