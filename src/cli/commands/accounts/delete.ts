import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete an account with everything in it",
  arguments: { name: argument("the account") },
  options: {},
  examples: [
    { command: "tollgate accounts delete acme", text: "Its keys, plans, usage and deployments are deleted too." },
  ],
  what: ({ name }) => `the account ${name}, with all its keys, plans, usage and deployments`,
  delete: (client, { name }) => client.accounts.delete(name),
});
