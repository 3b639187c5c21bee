import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List trusted issuers",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate issuers list", text: "Whose tokens can be exchanged, and for what." }],
  things: "trusted issuers",
  columns: ["id", "issuer", "subject", "role", "project", "environments", "branchClaim"],
  list: (client, paging) => client.trustedIssuers.list(paging),
});
