import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a webhook, without its secret",
  arguments: { id: argument("the webhook's id") },
  options: {},
  examples: [
    {
      command: "tollgate webhooks show hook_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "With its URL, events and state.",
    },
  ],
  call: (client, { id }) => client.webhooks.get(id),
  show: showFields,
});
