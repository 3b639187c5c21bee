import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Show an account",
  arguments: { name: argument("the account") },
  options: {},
  examples: [{ command: "tollgate accounts show acme", text: "When it was made." }],
  call: (client, { name }) => client.accounts.get(name),
  show: showFields,
});
