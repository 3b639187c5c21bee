/** A counter's total as a change carries it: exact, so its amount is text. */
export type CounterTotalData = [subscriptionSeq: number, periodStart: number, meter: string, used: string];

/** A key by what a cache finds it by. */
interface StoredKey {
  bucketSeq: number;
  hash: string;
}

interface StoredKeys {
  bucketSeq: number;
  hashes: string[];
}

/** Whose quota a subscription decides. */
interface QuotaHolder {
  bucketId: string;
  bucketName?: string;
  customerKey: string;
}

/** A variable of a project; `secret` is null for a plain or deleted one. */
interface ChangedVariable {
  project: string;
  name: string;
  /** The value in base64, sealed as in storage. */
  secret: { sealed: string; environments: string[] } | null;
}

/** A host and where its requests go. */
interface RoutedDomain {
  host: string;
  deploymentName: string;
}

/** Every kind of change with the data that its followers get. A follower that reads another field does not compile. */
declare module "../../platform/storage/change.ts" {
  interface ChangeKinds {
    "account.created": undefined;
    "account.deleted": { name: string };
    "token.created": undefined;
    "token.deleted": { hash: string };
    "session.created": undefined;
    "session.deleted": { hash: string };
    "bucket.created": { name: string };
    "bucket.updated": { name: string };
    /** It has got its first key of the generated shape with another checksum. */
    "bucket.marked": { name: string };
    "bucket.deleted": { name: string };
    "consumer.created": undefined;
    "consumer.updated": undefined;
    "consumer.deleted": undefined;
    /** Of a bulk call. The subject is the bucket. */
    "consumers.updated": { consumerIds: string[] };
    "consumers.deleted": { consumerIds: string[] };
    "manager.created": { consumerId: string };
    "manager.deleted": { consumerId: string };
    "manager-invite.created": { consumerId: string };
    "manager-invite.accepted": { consumerId: string };
    "manager-invite.deleted": { consumerId: string };
    /** The subject is the consumer. */
    "key.created": { keyIds: string[] };
    "key.updated": StoredKey;
    "key.deleted": StoredKey;
    /** Of a bulk call. The subject is the bucket. */
    "keys.updated": StoredKeys;
    "keys.deleted": StoredKeys;
    /** The subject is the consumer. */
    "key.rolled": { expiresOn: string };
    /** Values were shown. */
    "key.revealed": undefined;
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
    "usage.recorded": { events: number };
    "usage.counted": { totals: CounterTotalData[] };
    "view.created": undefined;
    "view.updated": undefined;
    "view.deleted": undefined;
    "variable.created": ChangedVariable;
    "variable.updated": ChangedVariable;
    "variable.deleted": ChangedVariable;
    /** Another branch of the project, the subject, is production. Null: the default branch. */
    "project.updated": { productionBranch: string | null };
    "deployment.created": undefined;
    "deployment.upload-requested": { statusId: string };
    "deployment.build-queued": { statusId: string };
    "deployment.build-failed": { statusId: string };
    "deployment.activated": { deploymentSeq: number; accountName: string; versionSeq: number; artifactHash: string };
    "deployment.deleted": undefined;
    "domain.created": undefined;
    /** Its records are to be looked up now. */
    "domain.check-requested": undefined;
    /** Its proof was found in DNS, for the first time or again: requests are routed. */
    "domain.activated": RoutedDomain;
    /** Its proof is gone from DNS; requests are still routed. */
    "domain.failing": undefined;
    /** It has lost its host, to another account or after the grace: requests are not routed any more. */
    "domain.released": { host: string };
    /** A claim that was never proven in its time was removed. */
    "domain.expired": undefined;
    "domain.deleted": { host: string };
    /** The subject is the host. */
    "certificate.issued": undefined;
    "certificate.failed": undefined;
    "certificate.deleted": undefined;
    "webhook.created": undefined;
    "webhook.updated": undefined;
    "webhook.secret-rotated": undefined;
    /** By the server, after a 410 or five days without success. */
    "webhook.disabled": undefined;
    "webhook.deleted": undefined;
    "webhook.tested": undefined;
    "webhook.retried": undefined;
    "webhook.replayed": undefined;
  }
}
