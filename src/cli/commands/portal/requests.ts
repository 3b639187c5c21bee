import { oneOf, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List requests for access to the portal",
  arguments: {},
  options: { ...bucketOption, state: option("only those", oneOf("pending", "approved", "denied")) },
  examples: [{ command: "tollgate portal requests --state pending", text: "To approve or deny." }],
  things: "requests",
  columns: ["id", "email", "name", "note", "state", "consumerName", "createdOn"],
  list: (client, { bucket, state, limit, offset }) =>
    client.portal(bucket).accessRequests({ ...(state ? { state } : {}), limit, offset }),
});
