import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List metering buckets",
  arguments: {},
  options: {},
  examples: [
    { command: "tollgate metering list", text: "Their ids or names are what the other commands take as --bucket." },
  ],
  things: "metering buckets",
  columns: ["id", "name", "accountName", "createdOn"],
  list: (client, paging) => client.metering.list(paging),
});
