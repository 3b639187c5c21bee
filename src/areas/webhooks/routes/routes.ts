import { noBody } from "../../../api/body.ts";
import { write } from "../../../api/endpoint.ts";
import { replayDeliveries, sendTest } from "../deliveries/deliveries.ts";
import { delivery, replayed, replayInput } from "../schema.ts";
import type { Webhooks } from "../webhooks.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { area, presentDelivery, webhookPath } from "./shared.ts";
import { webhookManagementRoutes } from "./webhooks.ts";

export const webhookAreas = {
  Webhooks: "URLs that receive events, signed by Standard Webhooks 1.0, and the results of their deliveries.",
};

export function webhookRoutes(webhooks: Webhooks) {
  return [...webhookManagementRoutes(webhooks), ...sendingRoutes(webhooks), ...deliveryRoutes(webhooks)];
}

function sendingRoutes(webhooks: Webhooks) {
  return [
    write({
      operationId: "testWebhook",
      method: "POST",
      path: `${webhookPath}/test`,
      area,
      summary: "Send a test message",
      description: "Its type is `webhook.test`; it is sent to this webhook, whatever its patterns.",
      access: "edit",
      body: noBody,
      response: delivery,
      problems: ["webhook_disabled"],
      handle: async ({ act, params }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        return { body: presentDelivery(await sendTest(transaction, act, found)) };
      },
    }),
    write({
      operationId: "replayWebhook",
      method: "POST",
      path: `${webhookPath}/replay`,
      area,
      summary: "Send the messages of a time range again",
      description:
        "All messages of the account from `from` until before `to` that match the webhook's patterns, including those that it did " +
        "not get because it was disabled. At most 10,000 at once.",
      access: "edit",
      body: replayInput,
      response: replayed,
      problems: ["webhook_disabled"],
      examples: { request: { from: "2026-01-30T00:00:00Z", to: "2026-01-31T00:00:00Z" } },
      handle: async ({ act, params, body }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        return { body: { deliveries: await replayDeliveries(transaction, act, found, body) } };
      },
    }),
  ];
}
