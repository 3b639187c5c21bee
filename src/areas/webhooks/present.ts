import { formatDateTime } from "../../lib/time/time.ts";
import type { WebhookRow } from "./store.ts";

/** The API's view, with the delivery health, which is not part of recorded changes. */
export function presentWithState(row: Omit<WebhookRow, "seq">) {
  const state = row.failing_since === null ? {} : { failingSince: formatDateTime(row.failing_since) };
  return { ...presentWebhook(row), ...state };
}

/** Without its secrets. */
export function presentWebhook(row: Omit<WebhookRow, "seq">) {
  return {
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    url: row.url,
    events: patternsOf(row),
    ...(row.description === null ? {} : { description: row.description }),
    isEnabled: row.is_enabled === 1,
    ...(row.disabled_reason === null ? {} : { disabledReason: row.disabled_reason as "gone" | "failing" }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function patternsOf(webhook: Pick<WebhookRow, "events">): string[] {
  return JSON.parse(webhook.events);
}
