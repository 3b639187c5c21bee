import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Create an account",
  arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
  options: {},
  examples: [
    {
      command: "tollgate accounts create acme",
      text: "Then a token for it: tollgate tokens create --role admin --account acme",
    },
  ],
  call: (client, { name }) => client.accounts.create({ name }),
  show: showFields,
});
