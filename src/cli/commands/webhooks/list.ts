import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List webhooks, without their secrets",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate webhooks list", text: "With their events and state." }],
  things: "webhooks",
  columns: ["id", "name", "url", "events", "isEnabled", "failingSince", "disabledReason", "description"],
  list: (client, paging) => client.webhooks.list(paging),
});
