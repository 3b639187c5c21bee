import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List custom domains",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate domains list", text: "Which hosts lead where, and what is wrong with them." }],
  things: "domains",
  columns: ["host", "status", "deploymentName", "id", "message"],
  list: (client, paging) => client.domains.list(paging),
});
