import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List the portals of the account",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate portal list", text: "With their buckets and addresses." }],
  things: "portals",
  columns: ["bucketName", "title", "isEnabled", "url"],
  list: (client, { limit, offset }) => client.portals({ limit, offset }),
});
