import { named, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List what customers have authorized programs to do",
  arguments: {},
  options: {
    ...bucketOption,
    consumer: option("only those of this consumer", named("NAME")),
    client: option("only those of this OAuth client", named("ID")),
  },
  examples: [{ command: "tollgate authorizations list --consumer acme", text: "The programs of a customer." }],
  things: "authorizations",
  columns: ["id", "consumer", "client", "permissions", "subject", "createdOn", "expiresOn"],
  list: (client, { bucket, consumer: consumerName, client: clientId, limit, offset }) =>
    client.portal(bucket).authorizations({ consumerName, clientId, limit, offset }),
});
