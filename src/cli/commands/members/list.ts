import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List the people of the account",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate members list", text: "Who may do what, and who has not accepted yet." }],
  things: "members",
  columns: ["id", "email", "name", "role", "state", "signedInOn", "invitationExpiresOn"],
  list: (client, paging) => client.members.list(paging),
});
