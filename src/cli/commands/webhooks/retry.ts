import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { finishedDelivery, showDelivery } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "Retry a delivery now and show the result",
  details: "Exits with 1 if the attempt fails; the schedule of retries then restarts.",
  arguments: { id: argument("the webhook's id"), delivery: argument("the delivery's id") },
  options: {},
  examples: [
    {
      command: "tollgate webhooks retry hook_0QGzNqW81Kx8VhTb3mPcRdZu dlvr_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "The same message with the same webhook-id.",
    },
  ],
  async call(client, { id, delivery }) {
    const { attempts } = await client.webhooks.retry(id, delivery);
    return finishedDelivery(client, id, delivery, attempts + 1);
  },
  show: showDelivery,
  exitCode: ({ status }) => (status === "succeeded" ? 0 : 1),
});
