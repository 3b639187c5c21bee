import { deleteCommand } from "../../support/remote.ts";
import { argument } from "../../support/values.ts";

export const command = deleteCommand({
  summary: "Delete an account with everything in it",
  arguments: { name: argument("the account") },
  options: {},
  examples: [{ command: "tollgate accounts delete acme", text: "Its keys, plans, usage and deployments go with it." }],
  what: ({ name }) => `the account ${name}, with all its keys, plans, usage and deployments`,
  delete: (client, { name }) => client.accounts.delete(name),
});
