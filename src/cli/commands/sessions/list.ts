import type { Session } from "../../../client/index.ts";
import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List the browsers that are signed in to the account",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate sessions list", text: "Whose they are, and when they were last used." }],
  things: "sessions",
  columns: ["id", "owner", "method", "ip", "createdOn", "lastUsedOn", "expiresOn"],
  row: ({ owner }: Session) => ({ owner: owner.name ?? owner.id }),
  list: (client, paging) => client.sessions.listOfAccount(paging),
});
