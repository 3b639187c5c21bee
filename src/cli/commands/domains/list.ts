import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List custom domains",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate domains list", text: "With their deployments, status and problems." }],
  things: "domains",
  columns: ["host", "status", "deploymentName", "id", "message"],
  list: (client, paging) => client.domains.list(paging),
});
