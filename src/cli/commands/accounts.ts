import { argument } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";

const account = resource({
  one: "an account",
  id: { name: argument("the account") },
  sample: "acme",
  api: (client) => client.accounts,
});

export const accounts = group({
  name: "accounts",
  summary: "The accounts of an installation (for the operator)",
  commands: {
    list: account.list({ columns: ["name", "id", "createdOn"], examples: "With the operator's token." }),
    create: account.command({
      summary: "Create an account",
      arguments: { name: argument("1 to 128 characters of a-z, 0-9, _ and -") },
      examples: {
        "tollgate accounts create acme": "Then a token for it: tollgate tokens create --role admin --account acme",
      },
      call: (api, { name }) => api.create({ name }),
    }),
    show: account.show({ examples: "Including when it was created." }),
    delete: account.delete({
      summary: "Delete an account with everything in it",
      effect: "with all its keys, plans, usage and deployments",
      examples: "Its keys, plans, usage and deployments are deleted too.",
    }),
  },
});
