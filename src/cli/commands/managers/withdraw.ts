import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = deleteCommand({
  summary: "Withdraw an invite",
  arguments: { consumer: argument("the consumer's name"), id: argument("the invite's id") },
  options: consumerOptions,
  examples: [
    {
      command: "tollgate managers withdraw acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "The invite can no longer be accepted.",
    },
  ],
  verb: { prompt: "Withdraw", done: "Withdrew" },
  what: ({ consumer, id }) => `the invite ${id} of ${consumer}`,
  delete: (client, { consumer, id, bucket, ifTag }) =>
    client.managerInvites(bucket, consumer).delete(id, { tag: ifTag }),
});
