import { argument, integer, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showSecret } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "Rotate the secret of a webhook; the new one is shown only once",
  arguments: { id: argument("the webhook's id") },
  options: {
    graceSeconds: option(
      "how long messages are also signed with the old secret; a day by default, at most 604800",
      integer,
    ),
  },
  examples: [
    {
      command: "tollgate webhooks rotate-secret hook_0QGzNqW81Kx8VhTb3mPcRdZu --grace-seconds 0",
      text: "For a leaked secret: it stops signing immediately.",
    },
  ],
  call: (client, { id, graceSeconds }) =>
    client.webhooks.rotateSecret(id, graceSeconds === undefined ? {} : { graceSeconds }),
  show: showSecret,
});
