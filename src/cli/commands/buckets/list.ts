import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List key buckets",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate buckets list", text: "All key buckets of the account." }],
  things: "key buckets",
  columns: ["name", "keyPrefix", "isRetrievable", "description", "tags", "createdOn"],
  list: (client, paging) => client.buckets.list(paging),
});
