import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete a webhook with its deliveries",
  arguments: { id: argument("the webhook's id") },
  options: {},
  examples: [
    { command: "tollgate webhooks delete hook_0QGzNqW81Kx8VhTb3mPcRdZu", text: "No more messages are sent to it." },
  ],
  what: ({ id }) => `the webhook ${id}, with its deliveries`,
  delete: (client, { id }) => client.webhooks.delete(id),
});
