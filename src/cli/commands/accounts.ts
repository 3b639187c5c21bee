import { argument } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";

export const accounts = group({
  name: "accounts",
  summary: "The accounts of an installation (for the operator)",
  commands: {
    list: listCommand({
      summary: "List accounts",
      examples: { "tollgate accounts list": "With the operator's token." },
      things: "accounts",
      columns: ["name", "id", "createdOn"],
      list: (client, paging) => client.accounts.list(paging),
    }),
    create: remoteCommand({
      summary: "Create an account",
      arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
      examples: {
        "tollgate accounts create acme": "Then a token for it: tollgate tokens create --role admin --account acme",
      },
      call: (client, { name }) => client.accounts.create({ name }),
    }),
    show: remoteCommand({
      summary: "Show an account",
      arguments: { name: argument("the account") },
      examples: { "tollgate accounts show acme": "Including when it was created." },
      call: (client, { name }) => client.accounts.get(name),
    }),
    delete: deleteCommand({
      summary: "Delete an account with everything in it",
      arguments: { name: argument("the account") },
      examples: { "tollgate accounts delete acme": "Its keys, plans, usage and deployments are deleted too." },
      what: ({ name }) => `the account ${name}, with all its keys, plans, usage and deployments`,
      delete: (client, { name }) => client.accounts.delete(name),
    }),
  },
});
