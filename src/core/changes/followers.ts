import type { ChangeKind } from "../../platform/storage/change.ts";

/** The components that follow changes to stay current. */
type Follower =
  | "tokens"
  | "buckets"
  | "keys"
  | "consumers"
  | "quotas"
  | "metering buckets"
  | "deployments"
  | "domains"
  | "domain checks"
  | "portals"
  | "authorizations"
  | "oauth issuers"
  | "oauth keys"
  | "build queue"
  | "secrets"
  | "removal"
  | "jobs"
  | "simulations"
  | "sessions"
  | "people"
  | "certificates";

/**
 * Which components must follow which kind. A cache that misses a kind keeps a revoked key valid. A test therefore
 * compares this table with the followers of a running server, and a new kind does not compile until it is listed here.
 */
export const followers: Record<ChangeKind, readonly Follower[]> = {
  "account.created": [],
  "account.deleted": ["tokens", "people", "consumers", "authorizations", "quotas", "removal", "oauth issuers"],
  "token.created": [],
  "token.deleted": ["tokens"],
  "token.exchanged": [],
  // The tokens that it issued are deleted with it, each with its own change.
  "export.created": [],
  "export.updated": [],
  "export.deleted": [],
  "export.failed": [],
  "trusted-issuer.created": [],
  "trusted-issuer.updated": [],
  "trusted-issuer.deleted": [],
  "member.invited": ["people"],
  "member.joined": ["people"],
  "member.updated": ["people"],
  "member.removed": ["people"],
  "session.created": [],
  "session.deleted": ["sessions"],
  "bucket.created": ["oauth issuers"],
  "bucket.updated": ["buckets", "authorizations"],
  "bucket.marked": ["buckets"],
  "bucket.deleted": ["buckets", "portals", "authorizations", "removal", "oauth issuers"],
  "consumer.created": [],
  "consumer.updated": ["keys", "consumers", "authorizations"],
  "consumer.deleted": ["keys", "consumers", "authorizations"],
  "consumers.updated": ["keys", "consumers", "authorizations"],
  "consumers.deleted": ["keys", "consumers", "authorizations"],
  "manager.created": [],
  "manager.updated": ["authorizations"],
  "manager.deleted": ["authorizations"],
  "manager-invite.created": [],
  "manager-invite.accepted": [],
  "manager-invite.deleted": [],
  "key.created": [],
  "key.updated": ["keys"],
  "key.deleted": ["keys"],
  "key.leaked": ["keys"],
  "keys.updated": ["keys"],
  "keys.deleted": ["keys"],
  "key.rolled": ["keys"],
  "key.revealed": [],
  "key.tried": [],
  "job.created": ["jobs", "simulations"],
  "metering-bucket.created": ["quotas"],
  "metering-bucket.updated": ["quotas", "metering buckets"],
  "metering-bucket.deleted": ["quotas", "metering buckets", "removal"],
  "plan.created": [],
  "plan.updated": ["quotas"],
  "plan.deleted": [],
  "subscription.created": ["quotas"],
  "subscription.updated": ["quotas"],
  "subscription.deleted": ["quotas"],
  "billing-profile.updated": [],
  "payment-provider.updated": [],
  "customer.updated": [],
  "invoice.created": [],
  "invoice.finalized": [],
  "invoice.paid": [],
  "invoice.payment-failed": [],
  "invoice.voided": [],
  "invoice.marked-uncollectible": [],
  "credit-note.created": [],
  "credit-note.refunded": [],
  "credit-note.refund-failed": [],
  "spend.threshold": [],
  // The totals are published with "usage.counted".
  "usage.voided": [],
  // A change of limits also records that the customer's subscriptions have changed.
  "grant.created": [],
  "grant.consumed": [],
  "grant.depleted": [],
  "grant.expired": [],
  "grant.voided": [],
  "grant.refunded": [],
  "grant.restored": [],
  "grant.adjusted": [],
  "credit-pack.created": [],
  "credit-pack.updated": [],
  "credit-pack.deleted": [],
  "simulation.created": [],
  "simulation.deleted": [],
  "pack-purchase.created": [],
  "pack-purchase.paid": [],
  "pack-purchase.failed": [],
  "pack-purchase.canceled": [],
  "pack-purchase.refunded": [],
  "pack-purchase.reversed": [],
  "usage.recorded": [],
  "usage.counted": ["quotas"],
  "portal.created": ["portals", "oauth issuers"],
  "portal.updated": ["portals", "authorizations", "oauth issuers"],
  "portal.deleted": ["portals", "authorizations", "oauth issuers"],
  "portal.handed-off": [],
  "portal.viewed": [],
  "portal-session.created": [],
  "portal-session.deleted": [],
  "access-request.created": [],
  "access-request.approved": [],
  "access-request.denied": [],
  "oauth-client.created": [],
  "oauth-client.updated": ["authorizations"],
  "oauth-client.deleted": ["authorizations"],
  "oauth-key.created": ["oauth keys"],
  "oauth-key.deleted": ["oauth keys"],
  "authorization.created": [],
  "authorization.updated": ["authorizations"],
  "authorization.ended": ["authorizations"],
  "view.created": [],
  "view.updated": [],
  "view.deleted": [],
  "variable.created": ["secrets"],
  "variable.updated": ["secrets"],
  "variable.deleted": ["secrets"],
  "project.updated": ["secrets"],
  "deployment.created": [],
  "deployment.upload-requested": [],
  "deployment.build-queued": ["build queue"],
  "deployment.build-failed": [],
  "deployment.activated": ["deployments", "certificates"],
  "deployment.built": [],
  "deployment.traffic-changed": ["deployments"],
  "deployment.deleted": ["deployments", "certificates"],
  "domain.created": ["domain checks"],
  "domain.updated": ["domains", "domain checks"],
  "domain.check-requested": ["domain checks"],
  "domain.activated": ["domains", "certificates"],
  "domain.failing": [],
  "domain.released": ["domains", "certificates"],
  "domain.expired": [],
  "domain.deleted": ["domains", "certificates"],
  "certificate.issued": ["certificates"],
  "certificate.failed": ["certificates"],
  "certificate.deleted": ["certificates"],
  "configuration.applied": [],
  "webhook.created": [],
  "webhook.updated": [],
  "webhook.secret-rotated": [],
  "webhook.disabled": [],
  "webhook.deleted": ["removal"],
  "webhook.tested": [],
  "webhook.retried": [],
  "webhook.replayed": [],
};
