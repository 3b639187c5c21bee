import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List tokens, without their values",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate tokens list", text: "With the role and last use of each." }],
  things: "tokens",
  columns: ["id", "name", "role", "createdOn", "lastUsedOn", "expiresOn"],
  list: (client, paging) => client.tokens.list(paging),
});
