import { isWebhookSecret } from "../../../lib/crypto/standard-webhooks.ts";
import { defineCommand } from "../../arguments/command.ts";
import { flag, named, option, port as portNumber } from "../../arguments/values.ts";
import { listenForWebhooks } from "../../local-development/webhook-listener.ts";
import { onInterrupt } from "../../process/interrupt.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = defineCommand({
  summary: "Receive webhooks on this machine: print them, verify them, forward them",
  details:
    "Listens on loopback until Ctrl-C. With --secret, messages without a valid signature get 401. With " +
    "--forward, the status of the other server is returned.",
  arguments: {},
  options: {
    port: option("the port; 8799 by default, 0 for any free one", portNumber),
    forward: option("a URL to which verified messages are forwarded unchanged", named("URL")),
    secret: option("the webhook's secret, whsec_…; by default TOLLGATE_WEBHOOK_SECRET", named("SECRET")),
    json: flag("print one JSON object per line"),
  },
  examples: [
    { command: "tollgate webhooks listen", text: "Prints messages to http://127.0.0.1:8799." },
    {
      command: "tollgate webhooks listen --secret whsec_… --forward http://127.0.0.1:3000/webhooks",
      text: "Forwards only messages with a valid signature.",
    },
  ],
  async run({ port = 8799, forward, secret: given, json }, { terminal, environment }) {
    if (forward !== undefined && !/^https?:$/.test(URL.parse(forward)?.protocol ?? ""))
      throw new UsageError("--forward must be an address that begins with http:// or https://.");
    const secret = given ?? environment.TOLLGATE_WEBHOOK_SECRET;
    // With a wrong secret every message would be shown as forged.
    if (secret !== undefined && !isWebhookSecret(secret))
      throw new UsageError(
        `${given === undefined ? "TOLLGATE_WEBHOOK_SECRET" : "--secret"} is not a webhook secret (whsec_…, shown when the webhook was created).`,
      );
    const signal = onInterrupt();
    await listenForWebhooks({
      port,
      forward,
      secret,
      json,
      terminal,
      signal,
    });
    return undefined;
  },
});
