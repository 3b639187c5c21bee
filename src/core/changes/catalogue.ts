import type { Mount } from "../hosts/mount-table.ts";

/** A counter's total as text, because it must be exact, and its version. */
export type CounterTotalData = [
  subscriptionSeq: number,
  periodStart: number,
  meter: string,
  used: string,
  version: number,
];

/** The fields by which a cache finds a key. */
interface StoredKey {
  bucketSeq: number;
  hash: string;
}

interface StoredKeys {
  bucketSeq: number;
  hashes: string[];
}

/** The consumer whose quota a subscription determines. */
interface QuotaHolder {
  bucketId: string;
  bucketName?: string;
  customerKey: string;
}

/** A person, by id, whose membership changed. */
interface MemberOf {
  personId: string;
}

/** A variable of a project. `secret` is null for a plain or deleted one. */
interface ChangedVariable {
  project: string;
  name: string;
  /** The encrypted value in base64, as in storage. */
  secret: { sealed: string; environments: string[]; isLimited?: true } | null;
}

/** A host and the deployments that serve it. */
interface RoutedDomain {
  host: string;
  deploymentName: string;
  mounts: Mount[] | null;
}

/** Where a portal is served. */
interface PortalPlace {
  bucketId: string;
  name: string;
  host: string | null;
  isEnabled: boolean;
}

/** The consumer that an authorization (the subject) belongs to. */
interface AuthorizationOf {
  consumerId: string;
}

/** The live version of a deployment. */
interface ServingVersion {
  deploymentSeq: number;
  accountName: string;
  versionSeq: number;
  versionNumber: number;
  artifactHash: string;
}

/** The second version of a canary release, with its share of the requests from 0 to 1. */
interface ServingCanary {
  id: string;
  versionSeq: number;
  versionNumber: number;
  artifactHash: string;
  share: number;
  stickyBy?: "credential" | "ip" | undefined;
}

/**
 * Every kind of change with the data that its followers receive. A follower that reads another field does not compile.
 */
declare module "../../platform/storage/change.ts" {
  interface ChangeKinds {
    "account.created": undefined;
    "account.deleted": { name: string };
    "token.created": undefined;
    "token.deleted": { hash: string };
    /** A token was created in exchange for one of a trusted issuer. */
    "token.exchanged": undefined;
    "export.created": undefined;
    "export.updated": undefined;
    "export.deleted": undefined;
    /** The first failure after a success. */
    "export.failed": undefined;
    "trusted-issuer.created": undefined;
    "trusted-issuer.updated": undefined;
    "trusted-issuer.deleted": undefined;
    /** A person was invited, joined through the identity provider, or was invited again. */
    "member.invited": MemberOf;
    "member.joined": MemberOf;
    "member.updated": MemberOf;
    "member.removed": MemberOf;
    "session.created": undefined;
    "session.deleted": { hash: string };
    "bucket.created": { name: string };
    "bucket.updated": { name: string };
    /** The bucket got its first supplied key in the generated format with another checksum. */
    "bucket.marked": { name: string };
    "bucket.deleted": { name: string };
    "consumer.created": undefined;
    /** Nodes of earlier releases send no data. */
    "consumer.updated": { isSuspended: boolean } | undefined;
    "consumer.deleted": undefined;
    /** Changes of a bulk request. The subject is the bucket. */
    "consumers.updated": { consumerIds: string[] };
    "consumers.deleted": { consumerIds: string[] };
    "manager.created": { consumerId: string };
    "manager.updated": { consumerId: string };
    "manager.deleted": { consumerId: string };
    "manager-invite.created": { consumerId: string };
    "manager-invite.accepted": { consumerId: string };
    "manager-invite.deleted": { consumerId: string };
    /** The subject is the consumer. */
    "key.created": { keyIds: string[] };
    "key.updated": StoredKey;
    "key.deleted": StoredKey;
    /** The key was reported as leaked. It may be disabled since. */
    "key.leaked": StoredKey;
    /** Changes of a bulk request. The subject is the bucket. */
    "keys.updated": StoredKeys;
    "keys.deleted": StoredKeys;
    /** The subject is the consumer. */
    "key.rolled": { expiresOn: string };
    /** Key values were returned. */
    "key.revealed": undefined;
    /** A user sent a request to a deployment as the key. */
    "key.tried": undefined;
    "job.created": undefined;
    "metering-bucket.created": { bucketName?: string };
    "metering-bucket.updated": { bucketName?: string };
    "metering-bucket.deleted": undefined;
    "plan.created": { bucketId: string };
    "plan.updated": { bucketId: string };
    "plan.deleted": { bucketId: string };
    "subscription.created": QuotaHolder;
    "subscription.updated": QuotaHolder;
    "subscription.deleted": QuotaHolder;
    "billing-profile.updated": undefined;
    "payment-provider.updated": undefined;
    "customer.updated": undefined;
    "invoice.created": undefined;
    "invoice.finalized": undefined;
    "invoice.paid": undefined;
    "invoice.payment-failed": undefined;
    "invoice.voided": undefined;
    "invoice.marked-uncollectible": undefined;
    "credit-note.created": undefined;
    "credit-note.refunded": undefined;
    "credit-note.refund-failed": undefined;
    /** A part of a customer's cap is spent. */
    "spend.threshold": undefined;
    "grant.created": undefined;
    "grant.consumed": undefined;
    "grant.depleted": undefined;
    "grant.expired": undefined;
    "grant.voided": undefined;
    "usage.voided": undefined;
    "grant.refunded": undefined;
    "grant.restored": undefined;
    "grant.adjusted": undefined;
    "credit-pack.created": undefined;
    "credit-pack.updated": undefined;
    "credit-pack.deleted": undefined;
    "simulation.created": undefined;
    "simulation.deleted": undefined;
    "pack-purchase.created": undefined;
    "pack-purchase.paid": undefined;
    "pack-purchase.failed": undefined;
    "pack-purchase.canceled": undefined;
    "pack-purchase.refunded": undefined;
    /** Its payment was refunded or disputed at the provider. */
    "pack-purchase.reversed": undefined;
    "usage.recorded": { events: number };
    "usage.counted": { totals: CounterTotalData[] };
    "portal.created": PortalPlace;
    "portal.updated": PortalPlace;
    "portal.deleted": PortalPlace;
    /** A code for a session of a customer was issued. */
    "portal.handed-off": undefined;
    /** The same for a user who views the portal as the customer. */
    "portal.viewed": undefined;
    "portal-session.created": undefined;
    "portal-session.deleted": undefined;
    /** A visitor asks for access to a portal. */
    "access-request.created": undefined;
    "access-request.approved": undefined;
    "access-request.denied": undefined;
    "oauth-client.created": undefined;
    "oauth-client.updated": undefined;
    /** Its authorizations end too. */
    "oauth-client.deleted": undefined;
    "oauth-key.created": undefined;
    /** Tokens that it signed are no longer valid. */
    "oauth-key.deleted": undefined;
    "authorization.created": AuthorizationOf;
    /** Its permissions, addresses or rate limit have changed. */
    "authorization.updated": AuthorizationOf;
    "authorization.ended": AuthorizationOf;
    "view.created": undefined;
    "view.updated": undefined;
    "view.deleted": undefined;
    "variable.created": ChangedVariable;
    "variable.updated": ChangedVariable;
    "variable.deleted": ChangedVariable;
    /** Another branch of the project (the subject) is production. Null means the default branch. */
    "project.updated": { productionBranch: string | null };
    "deployment.created": undefined;
    "deployment.upload-requested": { statusId: string };
    "deployment.build-queued": { statusId: string };
    "deployment.build-failed": { statusId: string };
    "deployment.activated": ServingVersion;
    /** A version was built that gets no traffic yet. */
    "deployment.built": { versionSeq: number };
    /** A canary release began, changed or ended. `canary` is null if only the live version serves. */
    "deployment.traffic-changed": ServingVersion & { canary: ServingCanary | null };
    "deployment.deleted": undefined;
    "domain.created": undefined;
    /** The deployments of the domain have changed. */
    "domain.updated": RoutedDomain;
    /** The DNS records of the domain are to be looked up now. */
    "domain.check-requested": undefined;
    /** The proof of the domain was found in DNS, for the first time or again. Requests are routed. */
    "domain.activated": RoutedDomain;
    /** The proof of the domain is missing from DNS. Requests are still routed. */
    "domain.failing": undefined;
    /** The domain lost its host, to another account or after the grace period. Requests are no longer routed. */
    "domain.released": { host: string };
    /** A claim that was not proven in time was removed. */
    "domain.expired": undefined;
    "domain.deleted": { host: string };
    /** The subject is the host. */
    "certificate.issued": undefined;
    "certificate.failed": undefined;
    "certificate.deleted": undefined;
    /** All steps of a plan were applied. */
    "configuration.applied": undefined;
    "webhook.created": undefined;
    "webhook.updated": undefined;
    "webhook.secret-rotated": undefined;
    /** Disabled by the server, after a 410 or five days without success. */
    "webhook.disabled": undefined;
    "webhook.deleted": undefined;
    "webhook.tested": undefined;
    "webhook.retried": undefined;
    "webhook.replayed": undefined;
  }
}
