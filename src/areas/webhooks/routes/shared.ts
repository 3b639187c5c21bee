import { formatDateTime } from "../../../lib/time/time.ts";
import type { Delivery } from "../deliveries/deliveries.ts";
import type { DeliveryStatus } from "../schema.ts";

export const area = "Webhooks";
export const webhooksPath = "/v1/accounts/{accountName}/webhooks";
export const webhookPath = `${webhooksPath}/{webhookId}` as const;

export function presentDelivery(row: Delivery) {
  return {
    id: row.id,
    messageId: row.message_id,
    type: row.type,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    ...(row.due_on === null || row.lease !== null ? {} : { nextAttemptOn: formatDateTime(row.due_on) }),
    createdOn: formatDateTime(row.created_on),
    ...(row.finished_on === null ? {} : { finishedOn: formatDateTime(row.finished_on) }),
  };
}
