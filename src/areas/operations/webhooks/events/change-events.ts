import type { RecordedChange } from "../../../../core/changes/recorded-change.ts";
import type { ChangeDetails, ChangeKind } from "../../../../platform/storage/change.ts";
import type { WebhookEvent } from "../deliveries/messages.ts";
import type { EventType } from "../event-types.ts";

/** The event of a kind; a function if it depends on the changed fields. Null if webhooks do not receive it. */
type EventOf = EventType | null | ((details: ChangeDetails) => EventType | null);

/** The webhook event of each kind of change. A new kind does not compile until it is listed here. */
const eventsOf: Record<ChangeKind, EventOf> = {
  "account.created": null,
  "account.deleted": null,
  "token.created": null,
  "token.deleted": null,
  "token.exchanged": null,
  "export.created": null,
  "export.updated": null,
  "export.deleted": null,
  "export.failed": "export.failed",
  "trusted-issuer.created": null,
  "trusted-issuer.updated": null,
  "trusted-issuer.deleted": null,
  "member.invited": null,
  "member.joined": null,
  "member.updated": null,
  "member.removed": null,
  "session.created": null,
  "session.deleted": null,
  "bucket.created": null,
  "bucket.updated": null,
  "bucket.marked": null,
  "bucket.deleted": ({ counts }) => (counts?.consumers ? "consumer.deleted" : null),
  "consumer.created": "consumer.created",
  "consumer.updated": "consumer.updated",
  "consumer.deleted": "consumer.deleted",
  "consumers.updated": "consumer.updated",
  "consumers.deleted": "consumer.deleted",
  "manager.created": null,
  "manager.updated": null,
  "manager.deleted": null,
  "manager-invite.created": null,
  "manager-invite.accepted": null,
  "manager-invite.deleted": null,
  "key.created": "key.created",
  "key.updated": "key.updated",
  "key.deleted": "key.deleted",
  "key.leaked": "key.leaked",
  "key.rolled": "key.rolled",
  "key.revealed": null,
  "key.tried": null,
  "keys.updated": "key.updated",
  "keys.deleted": "key.deleted",
  "job.created": null,
  "project.updated": null,
  "view.created": null,
  "view.updated": null,
  "view.deleted": null,
  "variable.created": null,
  "variable.updated": null,
  "variable.deleted": null,
  "metering-bucket.created": null,
  "metering-bucket.updated": null,
  "metering-bucket.deleted": ({ counts }) =>
    counts?.subscriptions ? "subscription.deleted" : counts?.plans ? "plan.deleted" : null,
  "plan.created": "plan.created",
  "plan.updated": "plan.updated",
  "plan.deleted": "plan.deleted",
  "subscription.created": "subscription.created",
  "subscription.updated": "subscription.updated",
  "subscription.deleted": "subscription.deleted",
  "billing-profile.updated": null,
  "payment-provider.updated": null,
  "customer.updated": "customer.updated",
  "invoice.created": "invoice.created",
  "invoice.finalized": "invoice.finalized",
  "invoice.paid": "invoice.paid",
  "invoice.payment-failed": "invoice.payment_failed",
  "invoice.voided": "invoice.voided",
  "invoice.marked-uncollectible": "invoice.marked_uncollectible",
  "credit-note.created": "credit-note.created",
  "credit-note.refunded": "credit-note.refunded",
  "credit-note.refund-failed": "credit-note.refund_failed",
  "spend.threshold": "spend.threshold",
  "grant.created": "grant.created",
  "grant.consumed": "grant.consumed",
  "grant.depleted": "grant.depleted",
  "grant.expired": "grant.expired",
  "grant.voided": "grant.voided",
  "usage.voided": "usage.voided",
  "grant.refunded": "grant.refunded",
  "grant.restored": "grant.restored",
  "grant.adjusted": "grant.adjusted",
  "credit-pack.created": null,
  "credit-pack.updated": null,
  "credit-pack.deleted": null,
  "simulation.created": null,
  "simulation.deleted": null,
  "pack-purchase.created": "pack-purchase.created",
  "pack-purchase.paid": "pack-purchase.paid",
  "pack-purchase.failed": "pack-purchase.failed",
  "pack-purchase.canceled": "pack-purchase.canceled",
  "pack-purchase.refunded": "pack-purchase.refunded",
  "pack-purchase.reversed": "pack-purchase.reversed",
  "usage.recorded": null,
  "usage.counted": null,
  "deployment.created": null,
  "deployment.upload-requested": null,
  "deployment.build-queued": null,
  "deployment.build-failed": "deployment.failed",
  "deployment.activated": ({ action }) =>
    action === "deployment.rolled_back" ? "deployment.rolled_back" : "deployment.succeeded",
  "deployment.built": null,
  "deployment.traffic-changed": ({ action }) =>
    action === "deployment.canary_aborted" ? "deployment.canary_aborted" : null,
  "deployment.deleted": "deployment.deleted",
  "portal.created": null,
  "portal.updated": null,
  "portal.deleted": null,
  "portal.handed-off": null,
  "portal.viewed": null,
  "portal-session.created": null,
  "portal-session.deleted": null,
  "access-request.created": null,
  "access-request.approved": null,
  "access-request.denied": null,
  "oauth-client.created": null,
  "oauth-client.updated": null,
  "oauth-client.deleted": null,
  "oauth-key.created": null,
  "oauth-key.deleted": null,
  "authorization.created": "authorization.created",
  "authorization.updated": null,
  "authorization.ended": "authorization.ended",
  "domain.created": null,
  "domain.updated": "domain.updated",
  "domain.check-requested": null,
  "domain.activated": "domain.activated",
  "domain.failing": "domain.failing",
  "domain.released": "domain.released",
  "domain.expired": "domain.expired",
  "domain.deleted": "domain.deleted",
  "certificate.issued": null,
  "certificate.failed": null,
  "certificate.deleted": null,
  "configuration.applied": null,
  "webhook.created": null,
  "webhook.updated": null,
  "webhook.secret-rotated": null,
  "webhook.disabled": "webhook.disabled",
  "webhook.deleted": null,
  "webhook.tested": null,
  "webhook.retried": null,
  "webhook.replayed": null,
};

/** Returns the event of a change; its message has the id of the change. Undefined if webhooks do not receive it. */
export function eventOf(change: RecordedChange): WebhookEvent | undefined {
  const { accountSeq, details } = change;
  const type = eventTypeOf(change);
  if (accountSeq === null || type === null) return undefined;
  const messageId = `msg_${details.id.slice(details.id.indexOf("_") + 1)}`;
  return {
    accountSeq,
    messageId,
    type,
    time: Date.parse(details.bucketTime ?? details.time),
    data: eventDataOf(change),
  };
}

function eventTypeOf({ kind, details }: RecordedChange): EventType | null {
  const event = eventsOf[kind];
  return typeof event === "function" ? event(details) : event;
}

/** The resource as returned by the API, its parent, and the number if there are many. */
function eventDataOf({ kind, details, shown }: RecordedChange): object {
  const { resource, counts } = details;
  const { type, id, name, parent } = resource;
  const named = { id, ...(name === undefined ? {} : { name }) };
  // The resource of a bulk request or a cascade is the container: a deleted bucket is not a consumer, plan or
  // subscription.
  const isCascade = kind === "bucket.deleted" || kind === "metering-bucket.deleted";
  const data = isCascade ? undefined : shown;
  return {
    ...(data ?? { [fieldOf(type)]: named }),
    ...(parent
      ? { [fieldOf(parent.type)]: { id: parent.id, ...(parent.name === undefined ? {} : { name: parent.name }) } }
      : {}),
    ...(counts ? { counts } : {}),
  };
}

/** `bucket` for both kinds of buckets: the type of the event distinguishes them. */
function fieldOf(type: string): string {
  return type.endsWith("bucket") ? "bucket" : type;
}
