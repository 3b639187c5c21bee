import { noBody } from "../../../api/body.ts";
import { read, write } from "../../../api/endpoint.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import {
  type Attempt,
  findDelivery,
  inspectDelivery,
  listDeliveries,
  retryDelivery,
} from "../deliveries/deliveries.ts";
import { requestHeaders } from "../deliveries/sender.ts";
import { delivery, deliveryDetail, deliveryList, deliveryQuery } from "../schema.ts";
import type { Webhooks } from "../webhooks.ts";
import { area, presentDelivery, webhookPath } from "./shared.ts";

const deliveryPath = `${webhookPath}/deliveries/{deliveryId}` as const;

export function deliveryRoutes(webhooks: Webhooks) {
  return [
    read({
      operationId: "listWebhookDeliveries",
      path: `${webhookPath}/deliveries`,
      area,
      summary: "List deliveries, newest first",
      access: "read",
      query: deliveryQuery,
      response: deliveryList,
      handle: async ({ reads, account, params, query }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        return { body: { data: (await listDeliveries(reads, found, query)).map(presentDelivery) } };
      },
    }),
    read({
      operationId: "getWebhookDelivery",
      path: deliveryPath,
      area,
      summary: "Read a delivery with its request and attempts",
      access: "read",
      response: deliveryDetail,
      handle: async ({ reads, account, params }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        const { delivery: row, message, attempts } = await inspectDelivery(reads, found, params.deliveryId);
        const request = {
          method: "POST" as const,
          url: found.url,
          headers: Object.fromEntries(requestHeaders(row.message_id)),
          body: message.body,
        };
        return { body: { ...presentDelivery(row), request, attemptLog: attempts.map(presentAttempt) } };
      },
    }),
    write({
      operationId: "retryWebhookDelivery",
      method: "POST",
      path: `${deliveryPath}/retry`,
      area,
      summary: "Attempt a delivery again, now",
      description: "Restarts the schedule of retries. The `webhook-id` stays the same.",
      access: "edit",
      body: noBody,
      response: delivery,
      problems: ["webhook_disabled"],
      handle: async ({ act, params }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        await findDelivery(transaction, found, params.deliveryId);
        return { body: presentDelivery(await retryDelivery(transaction, act, found, params.deliveryId)) };
      },
    }),
  ];
}

function presentAttempt(attempt: Attempt) {
  return {
    number: attempt.number,
    startedOn: formatDateTime(attempt.started_on),
    durationMs: attempt.duration_ms,
    ...(attempt.status === null ? {} : { status: attempt.status }),
    ...(attempt.error === null ? {} : { error: attempt.error }),
    ...(attempt.response === null ? {} : { response: attempt.response }),
  };
}
