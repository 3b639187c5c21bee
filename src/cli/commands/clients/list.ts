import { listCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List the OAuth clients of a portal",
  arguments: {},
  options: { ...bucketOption },
  examples: [
    { command: "tollgate clients list", text: "Also those of customers, and those that registered themselves." },
  ],
  things: "OAuth clients",
  columns: ["id", "type", "name", "clientId", "consumerName", "createdOn"],
  list: (client, { bucket, limit, offset }) => client.portal(bucket).oauthClients({ limit, offset }),
});
