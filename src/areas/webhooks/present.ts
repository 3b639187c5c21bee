import { formatDateTime } from "../../lib/time.ts";
import { patternsOf } from "./messages.ts";
import type { WebhookRow } from "./store.ts";

/** Without its secrets. */
export function presentWebhook(row: Omit<WebhookRow, "seq">) {
  return {
    id: row.id,
    url: row.url,
    events: patternsOf(row),
    ...(row.description === null ? {} : { description: row.description }),
    isEnabled: row.is_enabled === 1,
    ...(row.disabled_reason === null ? {} : { disabledReason: row.disabled_reason as "gone" | "failing" }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
