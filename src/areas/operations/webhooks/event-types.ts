/** Every type of event that webhooks can receive. */
export const eventTypes = [
  "consumer.created",
  "consumer.updated",
  "consumer.deleted",
  "key.created",
  "key.updated",
  "key.rolled",
  "key.deleted",
  "key.leaked",
  "key.expiring",
  "key.expired",
  "authorization.created",
  "authorization.ended",
  "plan.created",
  "plan.updated",
  "plan.deleted",
  "subscription.created",
  "subscription.updated",
  "subscription.deleted",
  "subscription.trial_ending",
  "subscription.renewed",
  "quota.threshold",
  "customer.updated",
  "invoice.created",
  "invoice.finalized",
  "invoice.paid",
  "invoice.payment_failed",
  "invoice.voided",
  "invoice.marked_uncollectible",
  "credit-note.created",
  "credit-note.refunded",
  "credit-note.refund_failed",
  "spend.threshold",
  "usage.voided",
  "grant.created",
  "grant.consumed",
  "grant.depleted",
  "grant.expired",
  "grant.voided",
  "grant.refunded",
  "grant.restored",
  "grant.adjusted",
  "pack-purchase.created",
  "pack-purchase.paid",
  "pack-purchase.failed",
  "pack-purchase.canceled",
  "pack-purchase.refunded",
  "pack-purchase.reversed",
  "deployment.succeeded",
  "deployment.failed",
  "deployment.rolled_back",
  "deployment.canary_aborted",
  "deployment.deleted",
  "domain.activated",
  "domain.failing",
  "domain.released",
  "domain.expired",
  "domain.updated",
  "domain.deleted",
  "model.unpriced",
  "export.failed",
  "webhook.disabled",
] as const;

export type EventType = (typeof eventTypes)[number];

/** The event of `POST …/test`, whatever the webhook's patterns. */
export const testType = "webhook.test";

/** `*`, `<resource>.*`, or a type. */
export function matchesPattern(pattern: string, type: string): boolean {
  if (pattern === "*" || pattern === type) return true;
  return pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}

/** Returns the types that match patterns. A pattern that matches none is a typo. */
export function eventTypesOf(patterns: readonly string[]): EventType[] {
  return eventTypes.filter((type) => patterns.some((pattern) => matchesPattern(pattern, type)));
}

export function isPattern(pattern: string): boolean {
  return eventTypes.some((type) => matchesPattern(pattern, type));
}
