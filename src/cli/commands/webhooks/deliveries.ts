import type { DeliveryOptions, WebhookDelivery, WebhookDeliveryDetail } from "../../../client/index.ts";
import { argument, integer, named, oneOf, option, optionalArgument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { hintAtOlder, showList } from "../../output/show.ts";
import { showDelivery } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "List the deliveries of a webhook, newest first, or show one with its attempts",
  arguments: { id: argument("the webhook's id"), delivery: optionalArgument("a delivery's id") },
  options: {
    status: option("only those with this status", oneOf("pending", "succeeded", "failed")),
    type: option("only this type of event", named("TYPE")),
    limit: option("the maximum number; 100 by default, at most 1000", integer),
    before: option("only deliveries that are older than the one with this id", named("ID")),
  },
  examples: [
    {
      command: "tollgate webhooks deliveries hook_0QGzNqW81Kx8VhTb3mPcRdZu --status failed",
      text: "The failed deliveries.",
    },
    {
      command: "tollgate webhooks deliveries hook_0QGzNqW81Kx8VhTb3mPcRdZu dlvr_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "The request and the response of each attempt.",
    },
  ],
  call: async (
    client,
    { id, delivery, status, type, limit, before },
  ): Promise<WebhookDeliveryDetail | { data: WebhookDelivery[] }> => {
    if (delivery !== undefined) return client.webhooks.delivery(id, delivery);
    const filter = { status, type: type as DeliveryOptions["type"], limit, before };
    return { data: await client.webhooks.deliveries(id, filter as DeliveryOptions) };
  },
  show(response, terminal, { limit = 100 }) {
    if (!("data" in response)) {
      showDelivery(response, terminal);
      return;
    }
    showList(terminal, response.data, ["id", "type", "status", "attempts", "createdOn", "nextAttemptOn", "messageId"]);
    hintAtOlder(terminal, response.data, limit);
    if (response.data.length === 0) terminal.note("There are no deliveries.");
  },
});
