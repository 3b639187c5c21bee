import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List the managers of a consumer",
  arguments: { consumer: argument("the consumer's name") },
  options: consumerOptions,
  examples: [{ command: "tollgate managers list acme", text: "The people who manage its keys." }],
  things: "managers",
  columns: ["id", "sub", "email", "scopes", "createdOn"],
  list: (client, { consumer, bucket, ifTag, limit, offset }) =>
    client.managers(bucket, consumer).list({ tag: ifTag, limit, offset }),
});
