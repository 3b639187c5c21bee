import type { DeliveryOptions } from "../../../../client/index.ts";

type EventType = NonNullable<DeliveryOptions["type"]>;

/** When each event is sent. A type that the server adds does not compile until it is listed here. */
const meanings: Record<EventType, string> = {
  "consumer.created": "A consumer is created",
  "consumer.updated": "A consumer is changed",
  "consumer.deleted": "A consumer is deleted",
  "key.created": "A key is created",
  "key.updated": "A key is changed",
  "key.rolled": "A consumer's keys are rolled",
  "key.leaked": "A key is reported as leaked",
  "key.deleted": "A key is deleted",
  "key.expiring": "A key expires in 7 days, and in 1 day",
  "key.expired": "A key has expired",
  "authorization.created": "A customer authorizes a program",
  "authorization.ended": "The authorization of a program ends",
  "plan.created": "A plan is created",
  "plan.updated": "A plan is changed",
  "plan.deleted": "A plan is deleted",
  "subscription.created": "A customer is subscribed",
  "subscription.updated": "A subscription is changed",
  "subscription.deleted": "A subscription is deleted",
  "subscription.trial_ending": "A trial is about to end",
  "subscription.renewed": "A period ends and the next begins",
  "quota.threshold": "50, 80 or 100 % of a quota are used",
  "customer.updated": "The billing details of a customer change",
  "invoice.created": "An invoice is drafted",
  "invoice.finalized": "An invoice gets its number",
  "invoice.paid": "An invoice is paid",
  "invoice.payment_failed": "A payment fails, or an invoice is overdue",
  "invoice.voided": "An invoice is voided",
  "invoice.marked_uncollectible": "An invoice is given up",
  "credit-note.created": "A credit note is created",
  "credit-note.refunded": "Money is returned to a payment method",
  "credit-note.refund_failed": "Money cannot be returned to a payment method",
  "spend.threshold": "A customer reaches 50, 80 or 100 % of a spending cap",
  "usage.voided": "A usage event is taken back",
  "grant.created": "A customer gets credits",
  "grant.consumed": "Credits are used",
  "grant.depleted": "A grant of credits is used up",
  "grant.expired": "A grant of credits expires",
  "grant.voided": "A grant of credits is voided",
  "grant.refunded": "Unused credit of a pack is refunded",
  "grant.restored": "The refund of unused credit fails",
  "grant.adjusted": "Units that were carried over change, after late usage",
  "pack-purchase.created": "A customer buys a credit pack",
  "pack-purchase.paid": "A credit pack is paid and granted",
  "pack-purchase.failed": "An automatic top-up fails",
  "pack-purchase.canceled": "A credit pack is not paid",
  "pack-purchase.refunded": "The unused rest of a credit pack is refunded",
  "pack-purchase.reversed": "The payment of a credit pack is refunded or disputed at the provider",
  "deployment.succeeded": "A version goes live",
  "deployment.failed": "A version does not build or start",
  "deployment.rolled_back": "An older version is live again",
  "deployment.canary_aborted": "A canary release was aborted, because too many of its requests failed",
  "deployment.deleted": "A deployment is deleted",
  "domain.activated": "A domain's proof is found, and its requests are routed",
  "domain.failing": "A domain's proof is gone from DNS",
  "domain.released": "A domain has lost its host",
  "domain.expired": "A claim of a domain was not proven in time",
  "domain.updated": "A domain gets other deployments",
  "domain.deleted": "A domain is deleted",
  "model.unpriced": "A provider serves a model that has no price",
  "export.failed": "An export could not write an hour",
  "webhook.disabled": "Another webhook was disabled because it failed",
  "webhook.test": "A test message is sent",
};

const testType = "webhook.test";

export const deliveryTypes = Object.keys(meanings) as EventType[];
export const isDeliveryType = (text: string): text is EventType => text in meanings;

/** The event types by resource. Test messages go to every webhook. */
export const eventGroups: { resource: string; types: { type: string; meaning: string }[] }[] = [];
for (const [type, meaning] of Object.entries(meanings)) {
  if (type === testType) continue;
  const resource = type.split(".")[0]!;
  if (eventGroups.at(-1)?.resource !== resource) eventGroups.push({ resource, types: [] });
  eventGroups.at(-1)!.types.push({ type, meaning });
}
