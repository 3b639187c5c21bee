import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List accounts",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate accounts list", text: "With the operator's token." }],
  things: "accounts",
  columns: ["name", "id", "createdOn"],
  list: (client, paging) => client.accounts.list(paging),
});
