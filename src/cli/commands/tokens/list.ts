import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List tokens, without their values",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate tokens list", text: "Who may do what, and when a token was last used." }],
  things: "tokens",
  columns: ["id", "name", "role", "createdOn", "lastUsedOn", "expiresOn"],
  list: (client, paging) => client.tokens.list(paging),
});
