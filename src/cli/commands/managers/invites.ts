import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = listCommand({
  summary: "List pending invites",
  arguments: { consumer: argument("the consumer's name") },
  options: consumerOptions,
  examples: [{ command: "tollgate managers invites acme", text: "With the expiry of each." }],
  things: "invites",
  columns: ["id", "email", "createdOn", "expiresOn"],
  list: (client, { consumer, bucket, ifTag, limit, offset }) =>
    client.managerInvites(bucket, consumer).list({ tag: ifTag, limit, offset }),
});
