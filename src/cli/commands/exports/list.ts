import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List exports",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate exports list", text: "Where hours are written, and how late they are." }],
  things: "exports",
  columns: ["name", "kinds", "format", "isEnabled", "lastHour", "delaySeconds", "lastError"],
  list: (client, paging) => client.exports.list(paging),
});
