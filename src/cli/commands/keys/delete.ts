import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Delete a key: it stops working immediately",
  arguments: { consumer: argument("the consumer's name"), id: argument("the key's id") },
  options: consumerOptions,
  examples: [{ command: "tollgate keys delete acme key_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ consumer, id }) => `the key ${id} of ${consumer}, which stops working immediately`,
  delete: (client, { consumer, id, bucket, ifTag }) => client.keys(bucket, consumer).delete(id, { tag: ifTag }),
});
