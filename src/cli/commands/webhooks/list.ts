import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List webhooks, without their secrets",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate webhooks list", text: "Which addresses get what, and which are disabled." }],
  things: "webhooks",
  columns: ["id", "url", "events", "isEnabled", "failingSince", "disabledReason", "description"],
  list: (client, paging) => client.webhooks.list(paging),
});
