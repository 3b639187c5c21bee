import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List metering buckets",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate metering list", text: "With the ids and names for --bucket of other commands." }],
  things: "metering buckets",
  columns: ["id", "name", "accountName", "createdOn"],
  list: (client, paging) => client.metering.list(paging),
});
