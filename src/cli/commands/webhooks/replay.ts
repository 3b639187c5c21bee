import { argument, flag, pastTime, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Send the messages of a time range again",
  details: "Also those that a webhook missed while it was disabled. Messages are kept for 32 days.",
  arguments: { id: argument("the webhook's id") },
  options: {
    from: requiredOption("the start of the range, such as -2h", pastTime),
    to: requiredOption("the end of the range, such as now", pastTime),
    newIds: flag("send them with new webhook-ids, so that receivers do not skip them"),
  },
  examples: [
    {
      command: "tollgate webhooks replay hook_0QGzNqW81Kx8VhTb3mPcRdZu --from -2h --to now",
      text: "All messages of the last two hours.",
    },
  ],
  call: (client, { id, from, to, newIds }) => client.webhooks.replay(id, { from, to, newIds }),
  show: ({ deliveries }, terminal) =>
    terminal.print(`${deliveries.toLocaleString("en")} ${deliveries === 1 ? "delivery is" : "deliveries are"} queued.`),
});
