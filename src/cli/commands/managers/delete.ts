import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Remove a manager from a consumer",
  arguments: { consumer: argument("the consumer's name"), id: argument("the manager's id") },
  options: consumerOptions,
  examples: [{ command: "tollgate managers delete acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  what: ({ consumer, id }) => `the manager ${id} of ${consumer}`,
  delete: (client, { consumer, id, bucket, ifTag }) => client.managers(bucket, consumer).delete(id, { tag: ifTag }),
});
