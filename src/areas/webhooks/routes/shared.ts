import { formatDateTime } from "../../../lib/time/time.ts";
import type { Delivery } from "../deliveries/deliveries.ts";
import type { DeliveryStatus } from "../schema.ts";

export const area = "Webhooks";
export const webhooksPath = "/v1/accounts/{accountName}/webhooks";
export const webhookPath = `${webhooksPath}/{webhookId}` as const;

export function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    messageId: delivery.message_id,
    type: delivery.type,
    status: delivery.status as DeliveryStatus,
    attempts: delivery.attempts,
    ...(delivery.due_on === null || delivery.lease !== null ? {} : { nextAttemptOn: formatDateTime(delivery.due_on) }),
    createdOn: formatDateTime(delivery.created_on),
    ...(delivery.finished_on === null ? {} : { finishedOn: formatDateTime(delivery.finished_on) }),
  };
}
