import { formatDateTime } from "../../../lib/time/time.ts";
import type { WebhookRow } from "./store.ts";

/** The API's view, with the delivery health, which is not part of recorded changes. */
export function presentWithState(webhook: Omit<WebhookRow, "seq">) {
  const state = webhook.failing_since === null ? {} : { failingSince: formatDateTime(webhook.failing_since) };
  return { ...presentWebhook(webhook), ...state };
}

/** Without its secrets. */
export function presentWebhook(webhook: Omit<WebhookRow, "seq">) {
  return {
    id: webhook.id,
    ...(webhook.name === null ? {} : { name: webhook.name }),
    url: webhook.url,
    events: patternsOf(webhook),
    ...(webhook.description === null ? {} : { description: webhook.description }),
    isEnabled: webhook.is_enabled === 1,
    ...(webhook.disabled_reason === null ? {} : { disabledReason: webhook.disabled_reason as "gone" | "failing" }),
    createdOn: formatDateTime(webhook.created_on),
    updatedOn: formatDateTime(webhook.updated_on),
  };
}

export function patternsOf(webhook: Pick<WebhookRow, "events">): string[] {
  return JSON.parse(webhook.events);
}
