import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { finishedDelivery, showDelivery } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "Send a test message and show the result",
  details: "Exits with 1 if its first attempt fails.",
  arguments: { id: argument("the webhook's id") },
  options: {},
  examples: [{ command: "tollgate webhooks test hook_0QGzNqW81Kx8VhTb3mPcRdZu", text: "What the receiver returned." }],
  async call(client, { id }) {
    const delivery = await client.webhooks.test(id);
    return finishedDelivery(client, id, delivery.id, 1);
  },
  show: showDelivery,
  exitCode: ({ status }) => (status === "succeeded" ? 0 : 1),
});
