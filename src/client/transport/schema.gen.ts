// Written by `npm run generate` from the OpenAPI document. Do not edit.

/** An error (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: {
    pointer: string;
    detail: string;
  }[];
  trace: {
    requestId: string;
    timestamp: string;
  };
}

/** Who the credential belongs to. */
export interface Identity {
  sub: string;
  account?: string;
  role: "admin" | "editor" | "reader" | "verifier" | "operator";
}

/** One page of a list, in the order of creation. */
export interface AccountList {
  data: Account[];
  limit: number;
  offset: number;
  total: number;
}

/** A customer of this installation; everything else belongs to one. */
export interface Account {
  id: string;
  name: string;
  createdOn: string;
  updatedOn: string;
}

export interface AccountCreate {
  /** 1 to 128 characters of a-z, 0-9, `_` and `-`. */
  name: string;
}

/** One page of a list, in the order of creation. */
export interface TokenList {
  data: Token[];
  limit: number;
  offset: number;
  total: number;
}

/** A credential of this interface. Its value is shown once, when it is made. */
export interface Token {
  id: string;
  name?: string;
  role: "admin" | "editor" | "reader" | "verifier";
  createdOn: string;
  expiresOn?: string;
  /** Known to the minute. */
  lastUsedOn?: string;
}

export interface TokenCreate {
  /** `admin`: everything. `editor`: all but tokens. `reader`: GET, keys masked. `verifier`: verify-key and usage. */
  role: "admin" | "editor" | "reader" | "verifier";
  name?: string;
  expiresOn?: string;
}

export interface CreatedToken {
  id: string;
  name?: string;
  role: "admin" | "editor" | "reader" | "verifier";
  createdOn: string;
  expiresOn?: string;
  /** Known to the minute. */
  lastUsedOn?: string;
  /** The value. It is not shown again. */
  token: string;
}

export interface SessionCreate {
  /** A token of this service. */
  token: string;
}

/** The session itself is in the cookie that comes with it. */
export interface CreatedSession {
  id: string;
  expiresOn: string;
  caller: Identity;
}

/** One page of a list, in the order of creation. */
export interface SessionList {
  data: Session[];
  limit: number;
  offset: number;
  total: number;
}

/** A browser that is signed in with a token. */
export interface Session {
  id: string;
  createdOn: string;
  /** Known to the minute. */
  lastUsedOn: string;
  /** At the latest; after 12 hours without a request it ends before. */
  expiresOn: string;
  /** Whether this request came with it. */
  isCurrent: boolean;
}

/** One page of a list, in the order of creation. */
export interface KeyBucketList {
  data: KeyBucket[];
  limit: number;
  offset: number;
  total: number;
}

/** A place for consumers and their keys, such as one API or one environment. */
export interface KeyBucket {
  id: string;
  name: string;
  description?: string;
  tags?: Record<string, string | number | boolean>;
  isRetrievable: boolean;
  keyPrefix: string;
  createdOn: string;
  updatedOn: string;
}

export interface KeyBucketCreate {
  /** 1 to 128 characters of a-z, 0-9, `_` and `-`. */
  name: string;
  /** At most 1,000 characters. */
  description?: string;
  /** At most 50; names up to 128 characters, values text, number or boolean up to 256. */
  tags?: Record<string, string | number | boolean>;
  /** Whether key values can be read again later. Fixed after creation. */
  isRetrievable?: boolean;
  /** What generated keys begin with. */
  keyPrefix?: string;
}

export interface KeyBucketUpdate {
  description?: string | null;
  tags?: Record<string, string | number | boolean> | null;
  /** What generated keys begin with. */
  keyPrefix?: string;
}

/** One page of a list, in the order of creation. */
export interface ConsumerList {
  data: Consumer[];
  limit: number;
  offset: number;
  total: number;
}

/** A named holder of API keys: a customer, a team, a program. */
export interface Consumer {
  id: string;
  name: string;
  description?: string;
  tags?: Record<string, string | number | boolean>;
  metadata?: Record<string, unknown>;
  createdOn: string;
  updatedOn: string;
  apiKeys?: ApiKey[];
  managers?: Manager[];
  managerInvites?: ManagerInvite[];
}

export interface ApiKey {
  id: string;
  createdOn: string;
  updatedOn: string;
  /** The key is good before this time; null: for ever. */
  expiresOn: string | null;
  description?: string;
  isEnabled: boolean;
  permissions?: string[];
  allowedIps?: string[];
  rateLimit?: KeyRateLimit;
  metadata?: Record<string, unknown>;
  /** Within a minute; null: never. Not part of the ETag. */
  lastUsedOn: string | null;
  /** The value, in the form that `key-format` selects. */
  key?: string;
  /** Present if only the hash of the value is stored: the value is never shown. */
  isRetrievable?: false;
}

/** How often the key may be used: one count for the gateway and verify-key, beside the limits of routes. */
export interface KeyRateLimit {
  /** How many requests a window allows. */
  requests: number;
  /** How long a window is. Windows begin at multiples of it since 1970, in UTC. */
  windowSeconds: number;
}

/** A person who looks after a consumer's keys. */
export interface Manager {
  id: string;
  createdOn: string;
  email?: string;
  sub: string;
}

/** An e-mail address that may become a manager. */
export interface ManagerInvite {
  id: string;
  email: string;
  createdOn: string;
  expiresOn: string;
}

export interface ConsumerCreate {
  /** 1 to 128 characters of a-z, 0-9 and `-`; unique in the bucket, and fixed. */
  name: string;
  /** At most 1,000 characters. */
  description?: string;
  /** At most 50; names up to 128 characters, values text, number or boolean up to 256. */
  tags?: Record<string, string | number | boolean>;
  /** Any JSON object, at most 16384 bytes in its compact form. */
  metadata?: Record<string, unknown>;
  apiKeys?: {
    /** 16 to 512 visible ASCII characters, unique in the bucket. Generated if left out. */
    key?: string;
    /** The SHA-256 of a value that another system issued, without a salt, in hex or base64. It replaces `key`. */
    hash?: {
      sha256: string;
    };
    /** With `hash`: the last characters of the value, to recognize the key in lists. */
    suffix?: string;
    expiresOn?: string | null;
    /** At most 1,000 characters. */
    description?: string;
    /** Whether the key works; true by default. */
    isEnabled?: boolean;
    /** At most 50. `orders:*` grants everything that begins with `orders:`. A key without has none. */
    permissions?: string[];
    /** 1 to 50 addresses or CIDRs, IPv4 or IPv6, that the key works from. Without: from everywhere. */
    allowedIps?: string[];
    rateLimit?: KeyRateLimit;
    /** Any JSON object, at most 16384 bytes in its compact form. */
    metadata?: Record<string, unknown>;
    id?: unknown;
    createdOn?: unknown;
    updatedOn?: unknown;
    lastUsedOn?: unknown;
    isRetrievable?: unknown;
  }[];
  /** E-mail addresses to invite, or managers with their `sub`. */
  managers?: (
    | string
    | {
        /** Who they are to your identity provider. */
        sub: string;
        email?: string;
        id?: unknown;
        createdOn?: unknown;
        updatedOn?: unknown;
      }
  )[];
}

export interface ConsumerUpdate {
  description?: string | null;
  tags?: Record<string, string | number | boolean> | null;
  metadata?: Record<string, unknown> | null;
}

export interface UpdateConsumers {
  /** The consumers, by name. */
  names?: string[];
  where?: ConsumerWhere;
  /** Return what would be changed, and change nothing. */
  dryRun?: boolean;
  set: {
    description?: string | null;
    /** Tags to add; one of the same name gets the new value. */
    addTags?: Record<string, string | number | boolean>;
    /** Names of tags to remove, before others are added. */
    removeTags?: string[];
  };
}

/** Conditions that must all hold; `tag.<name>` is the value of a tag. */
export interface ConsumerWhere {
  /** Consumers whose name begins so. */
  q?: string;
  /** Consumers with a manager or an invite of that e-mail address. */
  "manager-email"?: string;
  [name: string]: string | undefined;
}

/** Of a dry run, of up to 1,000 consumers, or the job that goes through more. */
export type BulkConsumersResult =
  | JobStarted
  | {
      results: {
        name: string;
        status: "updated" | "deleted" | "not_found";
      }[];
    }
  | {
      matched: number;
      /** How many keys they hold. */
      keys: number;
      sample: Consumer[];
    };

export interface JobStarted {
  jobId: string;
}

export interface DeleteConsumers {
  /** The consumers, by name. */
  names?: string[];
  where?: ConsumerWhere;
  /** Return what would be changed, and change nothing. */
  dryRun?: boolean;
}

/** One page of a list, in the order of creation. */
export interface ApiKeyList {
  data: ApiKey[];
  limit: number;
  offset: number;
  total: number;
}

export interface ApiKeyCreate {
  /** 16 to 512 visible ASCII characters, unique in the bucket. Generated if left out. */
  key?: string;
  /** The SHA-256 of a value that another system issued, without a salt, in hex or base64. It replaces `key`. */
  hash?: {
    sha256: string;
  };
  /** With `hash`: the last characters of the value, to recognize the key in lists. */
  suffix?: string;
  expiresOn?: string | null;
  /** At most 1,000 characters. */
  description?: string;
  /** Whether the key works; true by default. */
  isEnabled?: boolean;
  /** At most 50. `orders:*` grants everything that begins with `orders:`. A key without has none. */
  permissions?: string[];
  /** 1 to 50 addresses or CIDRs, IPv4 or IPv6, that the key works from. Without: from everywhere. */
  allowedIps?: string[];
  rateLimit?: KeyRateLimit;
  /** Any JSON object, at most 16384 bytes in its compact form. */
  metadata?: Record<string, unknown>;
}

export interface ApiKeyUpdate {
  /** 16 to 512 visible ASCII characters, unique in the bucket. Generated if left out. */
  key?: string;
  expiresOn?: string | null;
  description?: string | null;
  /** Whether the key works. */
  isEnabled?: boolean;
  permissions?: string[] | null;
  allowedIps?: string[] | null;
  rateLimit?: KeyRateLimit | null;
  metadata?: Record<string, unknown> | null;
}

export interface RollKey {
  /** When the keys that have no expiry stop working; a past time revokes them immediately. */
  expiresOn: string;
}

export interface RollOneKey {
  /** When the key stops working, unless it does so earlier; a past time revokes it immediately. */
  expiresOn: string;
}

export interface VerifyKey {
  key: string;
  /** Where the request comes from; needed for keys with `allowedIps`. */
  ip?: string;
  /** What the key must be allowed to do. */
  permission?: string;
}

export type KeyVerification =
  | {
      valid: true;
      keyId: string;
      consumer: {
        id: string;
        name: string;
      };
      user: {
        sub: string;
        data: Record<string, unknown>;
      };
      expiresOn: string | null;
      permissions?: string[];
    }
  | {
      valid: false;
      code:
        | "malformed"
        | "not_found"
        | "expired"
        | "disabled"
        | "ip_required"
        | "ip_not_allowed"
        | "permission_missing"
        | "rate_limited";
      /** With `rate_limited`: when the window ends. */
      retryAfterSeconds?: number;
    };

/** One page of a list, in the order of creation. */
export interface ListedApiKeyList {
  data: ListedApiKey[];
  limit: number;
  offset: number;
  total: number;
}

/** A key and whose it is. */
export interface ListedApiKey {
  id: string;
  createdOn: string;
  updatedOn: string;
  /** The key is good before this time; null: for ever. */
  expiresOn: string | null;
  description?: string;
  isEnabled: boolean;
  permissions?: string[];
  allowedIps?: string[];
  rateLimit?: KeyRateLimit;
  metadata?: Record<string, unknown>;
  /** Within a minute; null: never. Not part of the ETag. */
  lastUsedOn: string | null;
  /** The value, in the form that `key-format` selects. */
  key?: string;
  /** Present if only the hash of the value is stored: the value is never shown. */
  isRetrievable?: false;
  consumer: {
    id: string;
    name: string;
  };
}

export interface UpdateKeys {
  /** The keys, by id. */
  ids?: string[];
  where?: KeyWhere;
  /** Return what would be changed, and change nothing. */
  dryRun?: boolean;
  set: {
    expiresOn?: string | null;
    description?: string | null;
    /** Whether the key works. */
    isEnabled?: boolean;
    permissions?: string[] | null;
    allowedIps?: string[] | null;
    rateLimit?: KeyRateLimit | null;
    metadata?: Record<string, unknown> | null;
  };
}

/** Conditions that must all hold; `tag.<name>` is a tag of the consumer. */
export interface KeyWhere {
  /** Keys last used before this time, or never used and made before it. */
  "unused-since"?: string;
  /** Keys whose `expiresOn` is before this time. */
  "expires-before"?: string;
  /** Keys made before this time. */
  "created-before"?: string;
  /** Keys that have this permission, also by a prefix such as `orders:*`. */
  permission?: string;
  /** Keys that end so: at most what the masked form shows. */
  suffix?: string;
  /** Keys that were never used; false: those that were. */
  "never-used"?: boolean;
  /** Keys that are enabled; false: those that are not. */
  enabled?: boolean;
  [name: string]: string | boolean | undefined;
}

/** Of a dry run, of up to 1,000 keys, or the job that goes through more. */
export type BulkKeysResult =
  | JobStarted
  | {
      results: {
        id: string;
        status: "updated" | "deleted" | "not_found";
      }[];
    }
  | {
      matched: number;
      sample: ListedApiKey[];
    };

export interface DeleteKeys {
  /** The keys, by id. */
  ids?: string[];
  where?: KeyWhere;
  /** Return what would be changed, and change nothing. */
  dryRun?: boolean;
}

/** Work over more than fits into a request. It continues after a restart. */
export interface Job {
  id: string;
  state: "queued" | "running" | "succeeded" | "failed";
  /** How many it has gone through, with those that failed. */
  done: number;
  /** How many there were when it was started. */
  total: number;
  /** How many could not be changed, such as keys that are gone. */
  failed: number;
  createdOn: string;
  updatedOn: string;
}

/** One page of a list, in the order of creation. */
export interface ManagerList {
  data: Manager[];
  limit: number;
  offset: number;
  total: number;
}

export interface ManagerCreate {
  /** Who they are to your identity provider. */
  sub: string;
  email?: string;
}

/** One page of a list, in the order of creation. */
export interface ManagerInviteList {
  data: ManagerInvite[];
  limit: number;
  offset: number;
  total: number;
}

export interface ManagerInviteCreate {
  email: string;
}

export interface ManagerInviteAccept {
  /** Who they are to your identity provider. */
  sub: string;
}

/** One page of a list, in the order of creation. */
export interface MeteringBucketList {
  data: MeteringBucket[];
  limit: number;
  offset: number;
  total: number;
}

/** A container for plans, subscriptions and what was used. */
export interface MeteringBucket {
  id: string;
  name?: string;
  accountName: string;
  createdOn: string;
  updatedOn: string;
}

export interface MeteringBucketCreate {
  /** Unique in the account; may stand wherever the id does. */
  name?: string;
}

export interface MeteringBucketUpdate {
  name?: string | null;
}

/** One page of a list, in the order of creation. */
export interface PlanList {
  data: Plan[];
  limit: number;
  offset: number;
  total: number;
}

/** What a subscriber may use. */
export interface Plan {
  id: string;
  label: string;
  planExternalId: string;
  meters: Record<
    string,
    {
      label?: string;
      max: number;
    }
  >;
  trialDays?: number;
  trialEndStatus?: "paused" | "canceled";
  isTrialCollectPayment?: boolean;
  hasSubscriptions: boolean;
  createdOn: string;
  updatedOn: string;
}

export interface PlanCreate {
  label: string;
  /** Its identifier in your billing system; unique in the bucket. */
  planExternalId: string;
  /** What may be used in a period, by meter. Names are 1 to 64 characters of A-Z, a-z, 0-9, _, . and -. */
  meters: Record<
    string,
    {
      label?: string;
      max: number;
    }
  >;
  trialDays?: number;
  trialEndStatus?: "paused" | "canceled";
  isTrialCollectPayment?: boolean;
}

export interface PlanUpdate {
  label?: string;
  planExternalId?: string;
  /** What may be used in a period, by meter. Names are 1 to 64 characters of A-Z, a-z, 0-9, _, . and -. */
  meters?: Record<
    string,
    {
      label?: string;
      max: number;
    }
  >;
  trialDays?: number | null;
  trialEndStatus?: "paused" | "canceled" | null;
  isTrialCollectPayment?: boolean | null;
}

/** One page of a list, in the order of creation. */
export interface SubscriptionList {
  data: Subscription[];
  limit: number;
  offset: number;
  total: number;
}

/** A customer's right to use what its plans allow, period by period. */
export interface Subscription {
  id: string;
  planIds: string[];
  planExternalIds: string[];
  status: "active" | "inactive" | "incomplete" | "incomplete-expired" | "trialing" | "past-due" | "canceled" | "unpaid";
  type: "periodic";
  renewalStrategy: "monthly" | "yearly";
  region: "us-central1" | "us-east1" | "europe-west4";
  customerKey: string;
  subscriptionExternalId: string;
  customerExternalId: string;
  quotaResetAnchor: string;
  metadata?: Record<string, unknown>;
  trialEndStatus?: string;
  trialStartDate?: string;
  trialEndDate?: string;
  nextBillingCycle: string;
  productKey?: string;
  createdOn: string;
  updatedOn: string;
}

export interface SubscriptionCreate {
  planIds: string[];
  /** The same plans as `planIds`. */
  planExternalIds: string[];
  status: "active" | "inactive" | "incomplete" | "incomplete-expired" | "trialing" | "past-due" | "canceled" | "unpaid";
  type: "periodic";
  renewalStrategy: "monthly" | "yearly";
  region: "us-central1" | "us-east1" | "europe-west4";
  /** The `subject` of usage events; a gateway takes the consumer's name. */
  customerKey: string;
  /** Its identifier in your billing system; unique in the bucket among subscriptions that are not canceled. */
  subscriptionExternalId: string;
  customerExternalId: string;
  quotaResetAnchor?: string;
  /** Any JSON object, at most 16384 bytes in its compact form. */
  metadata?: Record<string, unknown>;
  trialEndStatus?: string;
  trialStartDate?: string;
  trialEndDate?: string;
  nextBillingCycle?: string;
  productKey?: string;
}

export interface SubscriptionUpdate {
  planExternalIds?: string[];
  status?:
    | "active"
    | "inactive"
    | "incomplete"
    | "incomplete-expired"
    | "trialing"
    | "past-due"
    | "canceled"
    | "unpaid";
  /** With a change of plans: the share of the new maximum that the rest of this period adds. */
  prorate?: number;
  metadata?: Record<string, unknown> | null;
  trialEndDate?: string | null;
}

/** CloudEvents 1.0: one, or an array. `subject` is a customerKey, `data` is `{<meter>: number > 0}`, and `id` with `source` makes an event one that is counted once. */
export type UsageEvents = unknown[] | Record<string, unknown>;

export interface IngestedEvents {
  /** Stored and counted. */
  accepted: number;
  /** Known by their id and source, and not counted again. */
  duplicates: number;
  rejected: {
    index: number;
    detail: string;
  }[];
}

export interface Usage {
  periodStart: string;
  periodEnd: string;
  /** By meter. `available` never reads below 0; `used` may be more than `max`. */
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
    }
  >;
}

export interface PlanChange {
  planExternalIds: string[];
  /** With a change of plans: the share of the new maximum that the rest of this period adds. */
  prorate?: number;
}

/** What a change of plans would make of this period and of those to come. Nothing is changed. */
export interface PlanChangePreview {
  periodStart: string;
  periodEnd: string;
  /** This period as it is. */
  before: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
    }
  >;
  /** This period after the change. */
  after: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
    }
  >;
  /** What each period allows from the next one on. */
  next: Record<
    string,
    {
      label?: string;
      max: number;
    }
  >;
}

export interface UsageHistory {
  data: Usage[];
}

/** What a subscription used over time. The points of a period add up to what its usage shows. */
export interface UsageSeries {
  from: string;
  /** Not included. */
  to: string;
  step: "1h" | "1d";
  meters: Record<
    string,
    {
      label?: string;
      /** The sum of the points. */
      used: number;
      /** Of the last period in the range. */
      max: number;
      /** What the period will end at if usage continues as in the last seventh of its length; only for the current one. */
      forecast?: number;
      points: {
        time: string;
        used: number;
      }[];
    }
  >;
}

/** One page of a list, in the order of creation. */
export interface UsageShareList {
  data: UsageShare[];
  limit: number;
  offset: number;
  total: number;
}

export interface UsageShare {
  subscriptionId: string;
  customerKey: string;
  planIds: string[];
  status: "active" | "trialing";
  periodStart: string;
  periodEnd: string;
  /** The largest of its meters. */
  share: number;
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** `used` of `max`; more than 1 where more was used than allowed. */
      share: number;
    }
  >;
}

export interface ConsumeQuota {
  meters: Record<string, number>;
}

export interface ConsumedQuota {
  allowed: boolean;
  /** By meter. `available` never reads below 0; `used` may be more than `max`. */
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
    }
  >;
}

/** The counters, compared with the events. Events that retention removed count as stored. */
export interface Reconciliation {
  agrees: boolean;
  meters: Record<
    string,
    {
      accepted: number;
      counted: {
        events: number;
        amount: number;
      };
      stored: {
        events: number;
        amount: number;
      };
    }
  >;
  differences: {
    subscriptionId: string;
    meter: string;
    periodStart: string;
    counted: {
      events: number;
      amount: number;
    };
    stored: {
      events: number;
      amount: number;
    };
  }[];
}

export interface SourceUploadCreate {
  accountName: string;
  /** Part of the host name under which the project is reached. */
  projectName: string;
  /** The one that `productionBranch` in `tollgate.json` names, `main` by default, is production, every other a preview. */
  branchName: string;
  /** With `false` the version is built and gets no traffic, so that a canary release can give it a share. The first version of a deployment always gets it. */
  activate?: boolean;
}

export interface SourceUpload {
  /** Where to PUT a gzip tar of the project: once, within an hour, without a token. Names the status id. */
  uploadUrl: string;
}

export interface SourceReceived {
  status: string;
  statusId: string;
}

/** How far an upload has come on its way to live traffic. */
export interface DeploymentStatus {
  status: "SUCCESS" | "ERROR" | "IN_PROGRESS";
  url: string;
  steps: {
    upload: DeploymentStep;
    unpack: DeploymentStep;
    validate: DeploymentStep;
    build: DeploymentStep;
    start: DeploymentStep;
  };
  buildResult: BuildResult;
}

export interface DeploymentStep {
  status: "PENDING" | "IN_PROGRESS" | "SUCCESS" | "ERROR";
  startedOn?: string;
  finishedOn?: string;
  message?: string;
}

/** Empty until there is one. */
export interface BuildResult {
  success?: boolean;
  durationMs?: number;
  artifact?: {
    sha256: string;
    bytes: number;
  };
  /** The number of the version that was built. */
  version?: number;
  routes?: number;
  warnings?: BuildMessage[];
  errors?: BuildMessage[];
}

/** Lines and columns count from 1; 0 means the archive as a whole. */
export interface BuildMessage {
  file: string;
  line: number;
  column: number;
  message: string;
}

export interface DeploymentList {
  data: Deployment[];
}

/** A branch of a project, reached under a host name of its own. */
export interface Deployment {
  name: string;
  url: string;
  label: string;
  urlParameter: string;
  createdOn: string;
  updatedOn: string;
  loggingId: string;
  accountName: string;
  projectName: string;
  state: "PENDING" | "BUILDING" | "STARTED" | "ERROR";
  /** What became of the last build. An earlier version keeps serving. */
  message: "" | "BUILD_FAILED" | "START_FAILED";
  branchName: string;
  /** The number of the version that serves; absent if none does. */
  activeVersion?: number;
  environmentType: "PRODUCTION" | "PREVIEW";
}

/** One page of a list, in the order of creation. */
export interface AccountDeploymentList {
  data: Deployment[];
  limit: number;
  offset: number;
  total: number;
}

export interface Redeployed {
  status: "request enqueued";
  statusId: string;
}

/** One page of a list, in the order of creation. */
export interface DeploymentVersionList {
  data: DeploymentVersion[];
  limit: number;
  offset: number;
  total: number;
}

/** What a build made: never changed, put back at any time. */
export interface DeploymentVersion {
  id: string;
  number: number;
  createdOn: string;
  artifact: {
    sha256: string;
    bytes: number;
  };
  routes: number;
  isActive: boolean;
  /** The build that made it. */
  statusId: string;
}

/** A version with all that it does. A secret of the project reads as its name in braces after a dollar sign. */
export interface DeploymentVersionContents {
  id: string;
  number: number;
  createdOn: string;
  artifact: {
    sha256: string;
    bytes: number;
  };
  routes: number;
  isActive: boolean;
  /** The build that made it. */
  statusId: string;
  contents: {
    /** The OpenAPI document as it was uploaded, with the files that it refers to in `x-tollgate-files`; null where it was built before documents were kept. */
    document: {
      file: string;
      text: string;
    } | null;
    routes: {
      method: string;
      /** An OpenAPI path template. */
      path: string;
      operationId?: string;
      /** Names, in the order in which a request passes them. */
      policies: string[];
      target:
        | {
            /** The first target, where there are several. */
            upstream: string;
            /** All targets of an upstream with options. */
            targets?: string[];
            /** In the contents of a version: the index of its options in `upstreams`. */
            balanced?: number;
          }
        | {
            handler: string;
          }
        | {
            policy: string;
          };
      timeoutSeconds: number;
      /** The schemas of parameters and bodies, where a policy validates them. */
      validation?: unknown;
    }[];
    /** Upstreams with options, as in the project; defaults are filled in. */
    upstreams?: unknown[];
    /** By name, with their options; defaults are filled in. */
    policies: Record<
      string,
      {
        type: string;
        options: unknown;
      }
    >;
    /** Plain variables as they were when it was built. */
    environment: Record<string, string>;
    /** The project's modules, bundled; null where it has none. */
    code: string | null;
  };
}

export interface Rollback {
  /** By default the one before the present one. */
  version?: number;
}

/** What a version serves, route by route. */
export interface DeployedRoutes {
  /** The version that has these routes. */
  version: number;
  data: {
    method: string;
    /** An OpenAPI path template. */
    path: string;
    operationId?: string;
    /** In the order in which a request passes them. */
    policies: {
      name: string;
      type: string;
    }[];
    target:
      | {
          /** The first target, where there are several. */
          upstream: string;
          /** All targets of an upstream with options. */
          targets?: string[];
          /** In the contents of a version: the index of its options in `upstreams`. */
          balanced?: number;
        }
      | {
          handler: string;
        }
      | {
          policy: string;
        };
    timeoutSeconds: number;
  }[];
}

/** The upstreams of the version that serves, with the health of their targets as this node sees it. */
export interface DeployedUpstreams {
  /** The version that has these upstreams. */
  version: number;
  data: {
    targets: {
      /** A secret in it reads as its name in braces after a dollar sign. */
      url: string;
      weight: number;
      /** `unhealthy`: health checks fail. `ejected`: requests failed. `unchecked`: the upstream has neither health checks nor ejection, or the version does not run on this node. */
      state: "up" | "unhealthy" | "ejected" | "unchecked";
      /** When a request may find out whether it is back. */
      ejectedUntil?: string;
      /** Requests in a row that failed. */
      consecutiveErrors: number;
      /** Requests that it has not responded to completely. */
      inFlight: number;
      lastCheck?: {
        time: string;
        passed: boolean;
        status?: number;
        error?: string;
      };
    }[];
    balance: "round-robin" | "least-requests" | "hash";
    hashBy?: string;
    hasHealthChecks: boolean;
    hasEjection: boolean;
    hasRetries: boolean;
    /** It has a CA, a client certificate or a server name of its own. */
    usesOwnTls: boolean;
    maxConnections?: number;
    /** How many routes lead to it. */
    routes: number;
  }[];
}

/** Which versions of a deployment serve, and how the canary does. */
export interface Traffic {
  /** Null if no version is live. */
  liveVersionNumber: number | null;
  /** The versions that serve, the live one first. */
  splits: {
    versionNumber: number;
    weight: number;
    /** The weight as a part of 1. */
    share: number;
    isLive: boolean;
    /** Only during a canary release. */
    counts?: CanaryCounts;
    /** The last 60 seconds, which decide about an abort. */
    lastMinute?: {
      requests: number;
      /** Those with a 5xx response or a failed attempt. */
      errors: number;
      errorShare: number;
    };
  }[];
  /** Keeps the requests of one client on one version: by a hash of the presented credential (or the address, if there is none), or by the address. Left out, each request is assigned alone. */
  stickyBy?: "credential" | "ip";
  abort?: CanaryAbort;
  /** When the canary release began. */
  startedOn?: string;
  /** Null while one runs, and before the first. */
  lastCanary: LastCanary | null;
}

/** The requests of a version since the canary release began, on all nodes. */
export interface CanaryCounts {
  requests: number;
  /** Those with a 5xx response or a failed attempt. */
  errors: number;
  errorShare: number;
  latencyMs: {
    p50: number;
    p95: number;
    p99: number;
  } | null;
}

/** When all traffic returns to the live version: judged by the canary's requests of the last 60 seconds. A request failed if its response is 5xx or an attempt to reach the upstream failed. */
export interface CanaryAbort {
  /** The share of failed requests from which on the canary is aborted. */
  errorShare: number;
  /** Fewer requests of the canary in 60 seconds decide nothing. */
  minimumRequests: number;
}

/** How the last canary release ended. */
export interface LastCanary {
  versionNumber: number;
  /** The version that was live then. */
  liveVersionNumber: number;
  /** `replaced`: a deployment or a rollback ended it. */
  outcome: "promoted" | "aborted" | "stopped" | "replaced";
  startedOn: string;
  endedOn: string;
  abort?: CanaryAbort;
  counts: CanaryCounts;
  liveCounts: CanaryCounts;
}

export interface TrafficSplit {
  splits: {
    versionNumber: number;
    weight: number;
  }[];
  /** Keeps the requests of one client on one version: by a hash of the presented credential (or the address, if there is none), or by the address. Left out, each request is assigned alone. */
  stickyBy?: "credential" | "ip";
  abort?: CanaryAbort;
}

export interface TrafficTestCreate {
  versionNumber: number;
}

/** A request header that selects a version, for an hour. */
export interface TrafficTest {
  header: "x-tollgate-version";
  value: string;
  versionNumber: number;
  expiresOn: string;
}

export interface DeploymentTry {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Path and query, such as `/orders/7?expand=lines`. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as UTF-8. */
  body?: string;
  /** The request is sent as this key, without its value: policies that authenticate by keys of its bucket accept it in the place of a header. Its use is in the audit log. */
  key?: {
    /** 1 to 128 characters of a-z, 0-9, `_` and `-`. */
    bucketName: string;
    /** 1 to 128 characters of a-z, 0-9 and `-`. */
    consumerName: string;
    keyId: string;
  };
}

/** The response of the deployment, as data. */
export interface DeploymentTryResponse {
  status: number;
  /** In their order. Cookies are removed. */
  headers: {
    name: string;
    value: string;
  }[];
  body: string;
  /** `base64` if the body is not text. */
  bodyEncoding: "utf-8" | "base64";
  /** Whether the body is longer than the 1 MiB, or the 30 seconds, returned. */
  isTruncated: boolean;
  /** Until the first byte of the response. */
  durationMs: number;
  /** The `x-request-id` of the request, which leads to its record. */
  requestId: string;
}

/** One page of a list, in the order of creation. */
export interface DomainList {
  data: Domain[];
  limit: number;
  offset: number;
  total: number;
}

/** A host of the account's own that a deployment serves. */
export interface Domain {
  id: string;
  host: string;
  /** Serves all paths. If there are `mounts`, the deployment of the mount at `/`, or of the first one: the CNAME record leads to its host. */
  deploymentName: string;
  /** The deployments by path, if there are several. */
  mounts?: Mount[];
  /** `pending`: the TXT record was not found yet, and requests are not routed. `active`: they are. `failing`: the TXT record is gone; requests are routed for seven more days. */
  status: "pending" | "active" | "failing";
  /** The records to set: the TXT record proves that the host is the account's, the CNAME record leads requests here. Where a CNAME record is not possible, address records that lead to the same place do too. */
  dns: {
    type: "TXT" | "CNAME";
    name: string;
    value: string;
    /** Whether the last check has found it. */
    isSeen: boolean;
  }[];
  /** Null while the server has none for the host. */
  certificate: {
    expiresOn: string;
    issuer: string;
  } | null;
  /** What is wrong, or still to be done. */
  message?: string;
  /** When a pending claim is removed. */
  expiresOn?: string;
  /** When DNS was last looked up. */
  checkedOn?: string;
  createdOn: string;
  updatedOn: string;
}

/** A path prefix of a domain, and the deployment that serves it. */
export interface Mount {
  /** `/`, or a prefix of whole segments. The longest one that matches a path wins. */
  path: string;
  deploymentName: string;
  /** Whether the deployment sees paths without the prefix. False by default. */
  stripPath?: boolean;
}

export interface DomainCreate {
  /** A full domain name. International names are stored in their ASCII form. */
  host: string;
  /** The deployment that serves all paths. */
  deploymentName?: string;
  /** Instead of `deploymentName`: deployments by path. */
  mounts?: Mount[];
}

export interface DomainUpdate {
  /** Serves all paths from now on; replaces all mounts. */
  deploymentName?: string;
  /** Replaces all mounts. With `null`, the domain's `deploymentName` serves all paths. */
  mounts?: Mount[] | null;
}

/** One page of a list, in the order of creation. */
export interface VariableList {
  data: Variable[];
  limit: number;
  offset: number;
  total: number;
}

/** A value that gateway projects refer to as `${NAME}` and code reads as `context.environment.NAME`. */
export interface Variable {
  name: string;
  isSecret: boolean;
  environments: string[];
  /** Left out for a secret. */
  value?: string;
  createdOn: string;
  updatedOn: string;
}

export interface VariableSet {
  /** At most 32,768 characters; of a secret at least 8, not all of them whitespace. */
  value: string;
  /** A secret is sealed at rest, never shown again, and redacted from logs. */
  isSecret?: boolean;
  /** Where it is set. By default everywhere, and for a secret in `production` alone. */
  environments?: string[];
}

export interface RequestFeed {
  /** Newest first. */
  data: Request[];
  /** How many requests were over the rate and are not kept, in the minutes that the list spans. */
  omitted: {
    successes: number;
    failures: number;
  };
}

/** A request to a deployment. */
export interface Request {
  /** Ours: callers choose `x-request-id`. */
  id: string;
  time: string;
  deployment: string;
  /** The number of the version; null if it is gone. */
  version: number | null;
  requestId: string;
  traceId?: string;
  method: string;
  /** Without the query; at most 1,024 characters. */
  path: string;
  route?: string;
  /** 499 if the client went away before the response. */
  status: number;
  durationMs: number;
  ip?: string;
  consumer?: string;
  consumerId?: string;
  keyId?: string;
  /** The problem code, if the gateway itself rejected the request. */
  code?: string;
  detail?: string;
  /** The error behind it, which the client did not see. */
  error?: string;
  /** The policies of the route, in their order. */
  decisions: Decision[];
  target?: RequestTarget;
}

export interface Decision {
  /** The name of the policy in the project. */
  policy: string;
  type: string;
  ms: number;
  outcome: "passed" | "rejected" | "answered" | "skipped";
  detail?: DecisionDetail;
}

/** Why a policy rejected a request, with the numbers. */
export interface DecisionDetail {
  /** Stable, snake_case. */
  reason: string;
  header?: string;
  maskedKey?: string;
  keyId?: string;
  consumer?: string;
  expiredOn?: string;
  /** What the route needs. */
  permission?: string;
  /** What the key has. */
  permissions?: string[];
  meter?: string;
  /** What the request takes of the meter. */
  amount?: number;
  used?: number;
  limit?: number;
  plans?: string[];
  subscriptionId?: string;
  bucket?: string;
  by?: string;
  windowSeconds?: number;
  /** Of a rate limit whose window slides. */
  window?: "sliding";
  resetsOn?: string;
  /** The entry of `deny` that the address is in. */
  network?: string;
  /** What was counted of each meter. */
  amounts?: Record<string, number>;
  /** Meters of which the response had no amount. */
  missing?: string[];
  /** What was held of meters until the end. */
  held?: Record<string, number>;
  /** The claim of the token that is wrong. */
  claim?: string;
  errors?: {
    pointer: string;
    detail: string;
  }[];
  message?: string;
  status?: number;
}

export interface RequestTarget {
  kind: "upstream" | "handler";
  /** Without credentials and query. */
  url?: string;
  module?: string;
  /** From the last policy to the head of the response. */
  ms: number;
  attempts: number;
}

export interface DeploymentLog {
  data: DeploymentLogLine[];
}

/** A request (`access`), what code wrote to its console, or what a build did. */
export interface DeploymentLogLine {
  id: string;
  time: string;
  kind: "access" | "console" | "build";
  level: "debug" | "info" | "warn" | "error";
  message: string;
  requestId?: string;
  method?: string;
  path?: string;
  route?: string;
  status?: number;
  durationMs?: number;
  consumer?: string;
}

export interface AuditEntries {
  data: AuditEntry[];
}

export interface AuditEntry {
  id: string;
  time: string;
  /** `<type>.<what>`, such as `consumer.created`. */
  action: string;
  actor: {
    type: "token" | "person" | "operator" | "system";
    id: string;
    name?: string;
  };
  /** What was changed, and what that belongs to, such as a key's consumer. */
  resource: {
    type: string;
    id: string;
    name?: string;
    parent?: {
      type: string;
      id: string;
      name?: string;
    };
  };
  requestId?: string;
  ip?: string;
  /** By JSON pointer into the resource as the API shows it; the empty one is all of it. A secret reads `changed`. */
  changes: {
    pointer: string;
    before?: unknown;
    after?: unknown;
  }[];
  /** Of a bulk call, or of what a deletion removed with the resource. */
  counts?: Record<string, number>;
  /** Whether it is in the chain yet; it is within seconds. */
  isSealed: boolean;
  /** Its place in the account's chain. Entries that were committed together under load have one hash: `first` to `last`; the first of them has their `pack`. */
  seal?: {
    number: number;
    first: number;
    last: number;
    /** SHA-256 in hex. */
    previousHash: string;
    /** SHA-256 in hex. */
    hash: string;
    /** What the hash of several entries is over, in base64. */
    pack?: string;
  };
}

export interface AuditVerification {
  intact: boolean;
  /** How many were verified. */
  entries: number;
  /** How many wait to be sealed. */
  unsealed: number;
  from?: string;
  to?: string;
  /** The end of the chain, signed now. Note it elsewhere to detect a rewritten log. */
  head?: {
    account: string;
    count: number;
    /** SHA-256 in hex. */
    hash: string;
    time: string;
    /** How many entries were removed from the beginning as too old, if any were. */
    trimmed?: number;
    keyId: string;
    /** Ed25519, base64url. See docs/audit-log.md for what it is over. */
    signature: string;
  };
  /** The first entry that is not what was sealed. */
  firstBroken?: {
    number: number;
    /** Where it is known; of the first of a pack. */
    id?: string;
    /** The id of the entry before, where the entry is missing and its own id is not known. */
    previousId?: string;
    detail: string;
  };
}

/** Every request to the deployments, counted. The series add up to the total. */
export interface Analytics {
  from: string;
  /** Not included. */
  to: string;
  step: "1m" | "1h" | "1d";
  series: {
    /** What the series is of; null for all requests, and among consumers or keys for requests without one. */
    key: string | null;
    /** All that has no series of its own. */
    isOther?: true;
    totals: {
      requests: number;
      /** 4xx that the gateway or a policy returned on a route. */
      rejected: number;
      /** 5xx, from the gateway, a policy or the target. */
      errors: number;
      /** Time to the head of the response, within 5 %; null without requests. */
      p50Ms: number | null;
      p95Ms: number | null;
      p99Ms: number | null;
      /** Of request bodies. */
      bytesIn: number;
      /** Of response bodies. */
      bytesOut: number;
    };
    points: {
      time: string;
      requests: number;
      /** 4xx that the gateway or a policy returned on a route. */
      rejected: number;
      /** 5xx, from the gateway, a policy or the target. */
      errors: number;
      /** Time to the head of the response, within 5 %; null without requests. */
      p50Ms: number | null;
      p95Ms: number | null;
      p99Ms: number | null;
      /** Of request bodies. */
      bytesIn: number;
      /** Of response bodies. */
      bytesOut: number;
    }[];
  }[];
}

/** Every call of verify-key, counted. The series add up to the total. */
export interface VerificationAnalytics {
  from: string;
  /** Not included. */
  to: string;
  step: "1m" | "1h" | "1d";
  series: {
    /** What the series is of; null for all, and among consumers for values that are no key. */
    key: string | null;
    /** All that has no series of its own. */
    isOther?: true;
    totals: {
      verifications: number;
      /** Those with another result than `valid`. */
      rejected: number;
    };
    points: {
      time: string;
      verifications: number;
      /** Those with another result than `valid`. */
      rejected: number;
    }[];
  }[];
}

export interface SearchResult {
  /** At most 20, best first. */
  data: {
    type: "consumer" | "deployment" | "plan" | "subscription" | "key" | "domain";
    id: string;
    name: string;
    /** Of the resource in this API. */
    path: string;
  }[];
}

/** One page of a list, in the order of creation. */
export interface WebhookList {
  data: Webhook[];
  limit: number;
  offset: number;
  total: number;
}

/** An address that is sent events (Standard Webhooks 1.0). */
export interface Webhook {
  id: string;
  url: string;
  events: string[];
  description?: string;
  isEnabled: boolean;
  /** Where it was disabled by itself: `gone` after a 410, `failing` after five days without success. */
  disabledReason?: "gone" | "failing";
  /** The first failed attempt since the last success. Not part of the ETag. */
  failingSince?: string;
  createdOn: string;
  updatedOn: string;
}

export interface WebhookCreate {
  /** An http or https address, without user, password and fragment. Redirects are not followed. */
  url: string;
  /** Which events it gets: `*`, `<resource>.*`, or one of consumer.created, consumer.updated, consumer.deleted, key.created, key.updated, key.rolled, key.deleted, key.expiring, key.expired, plan.created, plan.updated, plan.deleted, subscription.created, subscription.updated, subscription.deleted, subscription.trial_ending, subscription.renewed, quota.threshold, deployment.succeeded, deployment.failed, deployment.rolled_back, deployment.canary_aborted, deployment.deleted, domain.activated, domain.failing, domain.released, domain.expired, domain.updated, domain.deleted, webhook.disabled. */
  events: string[];
  /** At most 1,000 characters. */
  description?: string;
  isEnabled?: boolean;
}

export interface WebhookWithSecret {
  id: string;
  url: string;
  events: string[];
  description?: string;
  isEnabled: boolean;
  /** Where it was disabled by itself: `gone` after a 410, `failing` after five days without success. */
  disabledReason?: "gone" | "failing";
  /** The first failed attempt since the last success. Not part of the ETag. */
  failingSince?: string;
  createdOn: string;
  updatedOn: string;
  /** Signs its messages. It is not shown again. */
  secret: string;
}

export interface WebhookUpdate {
  /** An http or https address, without user, password and fragment. Redirects are not followed. */
  url?: string;
  /** Which events it gets: `*`, `<resource>.*`, or one of consumer.created, consumer.updated, consumer.deleted, key.created, key.updated, key.rolled, key.deleted, key.expiring, key.expired, plan.created, plan.updated, plan.deleted, subscription.created, subscription.updated, subscription.deleted, subscription.trial_ending, subscription.renewed, quota.threshold, deployment.succeeded, deployment.failed, deployment.rolled_back, deployment.canary_aborted, deployment.deleted, domain.activated, domain.failing, domain.released, domain.expired, domain.updated, domain.deleted, webhook.disabled. */
  events?: string[];
  description?: string | null;
  /** False: it gets no messages, and what is pending has failed. True: it gets those from now on. */
  isEnabled?: boolean;
}

export interface WebhookSecretRotation {
  /** For how long the old secret signs too. */
  graceSeconds?: number;
}

/** A message on its way to a webhook. */
export interface WebhookDelivery {
  id: string;
  /** The `webhook-id` header. */
  messageId: string;
  type: string;
  status: "pending" | "succeeded" | "failed";
  attempts: number;
  nextAttemptOn?: string;
  createdOn: string;
  finishedOn?: string;
}

export interface WebhookReplay {
  from: string;
  to: string;
  /** True: with another `webhook-id` each, so that a receiver which has seen them takes them again. */
  newIds?: boolean;
}

export interface WebhookReplayed {
  /** How many were queued. */
  deliveries: number;
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[];
}

export interface WebhookDeliveryDetail {
  id: string;
  /** The `webhook-id` header. */
  messageId: string;
  type: string;
  status: "pending" | "succeeded" | "failed";
  attempts: number;
  nextAttemptOn?: string;
  createdOn: string;
  finishedOn?: string;
  request: {
    method: "POST";
    url: string;
    headers: Record<string, string>;
    body: string;
  };
  /** The newest 50, oldest first. */
  attemptLog: {
    number: number;
    startedOn: string;
    durationMs: number;
    /** Left out where no response came. */
    status?: number;
    error?: string;
    /** The first 4 KiB of the response's body. */
    response?: string;
  }[];
}

/** One page of a list, in the order of creation. */
export interface ViewList {
  data: View[];
  limit: number;
  offset: number;
  total: number;
}

/** A list of the console with filters, under a name, for everyone who uses the account. */
export interface View {
  id: string;
  name: string;
  page:
    | "consumers"
    | "keys"
    | "plans"
    | "subscriptions"
    | "deployments"
    | "requests"
    | "webhooks"
    | "audit-log"
    | "domains";
  search: string;
  createdOn: string;
  updatedOn: string;
}

export interface ViewCreate {
  /** Unique in the account. */
  name: string;
  page:
    | "consumers"
    | "keys"
    | "plans"
    | "subscriptions"
    | "deployments"
    | "requests"
    | "webhooks"
    | "audit-log"
    | "domains";
  /** The filters, as in the query string of the page. */
  search: string;
}

export interface ViewUpdate {
  /** Unique in the account. */
  name?: string;
  /** The filters, as in the query string of the page. */
  search?: string;
}

/** For how long the server keeps what it records, in days. */
export interface Retention {
  /** Of recorded requests; 0: none are recorded. */
  requestDays: number;
  auditLogDays: number;
  /** Of usage events. Counters stay. */
  usageEventDays: number;
}

/** The server at a glance. */
export interface SystemStatus {
  version: string;
  /** When the node that responds was started. */
  startedOn: string;
  /** What its process holds. */
  memoryBytes: number;
  storage: {
    engine: "sqlite" | "postgres";
    /** What the database takes, with indexes and room that is free again. */
    bytes: number;
  };
  feed: {
    /** How far caches are believed: `fresh` where every change is followed. */
    trust: "fresh" | "behind" | "away" | "lost";
    /** Since when all changes of other nodes are known; 0 for an embedded server. */
    lagMs: number;
  };
  /** The processes that use the database now. */
  nodes: {
    id: string;
    host: string;
    connectedOn?: string;
    /** The one that responds. */
    isThis: boolean;
  }[];
  caches: {
    name: string;
    entries: number;
    /** Since the node was started. */
    hits: number;
    misses: number;
  }[];
  /** By `tollgate backup`; null if there was none, and on PostgreSQL, which you back up yourself. */
  lastBackup: {
    time: string;
    bytes: number;
  } | null;
}

/** What each operation takes and returns. */
export interface Operations {
  /** Show who the token belongs to */
  whoAmI: {
    params: object;
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Identity;
  };
  /** List accounts */
  listAccounts: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: AccountList;
  };
  /** Create an account */
  createAccount: {
    params: object;
    query: object;
    body: AccountCreate;
    response: Account;
  };
  /** Read an account */
  getAccount: {
    params: {
      accountName: string;
    };
    query: object;
    body: undefined;
    response: Account;
  };
  /** Delete an account with everything in it */
  deleteAccount: {
    params: {
      accountName: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List tokens */
  listTokens: {
    params: {
      accountName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: TokenList;
  };
  /** Create a token */
  createToken: {
    params: {
      accountName: string;
    };
    query: object;
    body: TokenCreate;
    response: CreatedToken;
  };
  /** Read a token */
  getToken: {
    params: {
      accountName: string;
      tokenId: string;
    };
    query: object;
    body: undefined;
    response: Token;
  };
  /** Delete a token */
  deleteToken: {
    params: {
      accountName: string;
      tokenId: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Sign in with a token */
  createSession: {
    params: object;
    query: object;
    body: SessionCreate;
    response: CreatedSession;
  };
  /** List the sessions of the token */
  listSessions: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SessionList;
  };
  /** Sign out */
  deleteSession: {
    params: {
      sessionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List key buckets */
  listKeyBuckets: {
    params: {
      accountName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: KeyBucketList;
  };
  /** Create a key bucket */
  createKeyBucket: {
    params: {
      accountName: string;
    };
    query: object;
    body: KeyBucketCreate;
    response: KeyBucket;
  };
  /** Read a key bucket */
  getKeyBucket: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: undefined;
    response: KeyBucket;
  };
  /** Change a key bucket */
  updateKeyBucket: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: KeyBucketUpdate;
    response: KeyBucket;
  };
  /** Delete a key bucket */
  deleteKeyBucket: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: {
      /** Also delete the consumers and keys in it. */
      force?: boolean;
    };
    body: undefined;
    response: undefined;
  };
  /** List consumers */
  listConsumers: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: {
      /** Include the consumer's keys. */
      "include-api-keys"?: boolean;
      /** Include the consumer's managers. */
      "include-managers"?: boolean;
      /** Include the open invites. */
      "include-manager-invites"?: boolean;
      /** How key values are shown: not at all, whole, or their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** Only consumers whose name begins so. */
      q?: string;
      /** Only consumers with a manager or an invite of that e-mail address, whatever its case. */
      "manager-email"?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ConsumerList;
  };
  /** Create a consumer */
  createConsumer: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: {
      /** Create a key together with the consumer. */
      "with-api-key"?: boolean;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ConsumerCreate;
    response: Consumer;
  };
  /** Read a consumer */
  getConsumer: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** Include the consumer's keys. */
      "include-api-keys"?: boolean;
      /** Include the consumer's managers. */
      "include-managers"?: boolean;
      /** Include the open invites. */
      "include-manager-invites"?: boolean;
      /** How key values are shown: not at all, whole, or their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: Consumer;
  };
  /** Change a consumer */
  updateConsumer: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ConsumerUpdate;
    response: Consumer;
  };
  /** Delete a consumer */
  deleteConsumer: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Change many consumers */
  updateConsumers: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: UpdateConsumers;
    response: BulkConsumersResult;
  };
  /** Delete many consumers */
  deleteConsumers: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: DeleteConsumers;
    response: BulkConsumersResult;
  };
  /** List the keys of a consumer */
  listKeys: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** How key values are shown: not at all, whole, or their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ApiKeyList;
  };
  /** Create a key */
  createKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyCreate;
    response: ApiKey;
  };
  /** Read a key */
  getKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      keyId: string;
    };
    query: {
      /** How key values are shown: not at all, whole, or their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ApiKey;
  };
  /** Change a key */
  updateKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      keyId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyUpdate;
    response: ApiKey;
  };
  /** Delete a key */
  deleteKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      keyId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Create up to 1,000 keys, all or none */
  createKeys: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyCreate[] | ApiKeyCreate;
    response: ApiKeyList;
  };
  /** Roll a consumer's keys */
  rollKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: RollKey;
    response: undefined;
  };
  /** Roll one key */
  rollOneKey: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      keyId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: RollOneKey;
    response: ApiKey;
  };
  /** Verify a key */
  verifyKey: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: VerifyKey;
    response: KeyVerification;
  };
  /** List the keys of all consumers */
  listBucketKeys: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: {
      /** Keys last used before this time, or never used and made before it. */
      "unused-since"?: string;
      /** Keys whose `expiresOn` is before this time. */
      "expires-before"?: string;
      /** Keys made before this time. */
      "created-before"?: string;
      /** Keys that have this permission, also by a prefix such as `orders:*`. */
      permission?: string;
      /** Keys that end so: at most what the masked form shows. */
      suffix?: string;
      /** Keys that were never used; false: those that were. */
      "never-used"?: boolean;
      /** Keys that are enabled; false: those that are not. */
      enabled?: boolean;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ListedApiKeyList;
  };
  /** Change many keys */
  updateKeys: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: UpdateKeys;
    response: BulkKeysResult;
  };
  /** Delete many keys */
  deleteKeys: {
    params: {
      accountName: string;
      bucketName: string;
    };
    query: object;
    body: DeleteKeys;
    response: BulkKeysResult;
  };
  /** Read how far a job is */
  getJob: {
    params: {
      accountName: string;
      jobId: string;
    };
    query: object;
    body: undefined;
    response: Job;
  };
  /** List the managers of a consumer */
  listManagers: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ManagerList;
  };
  /** Add a manager */
  addManager: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerCreate;
    response: Manager;
  };
  /** Read a manager */
  getManager: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      managerId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: Manager;
  };
  /** Remove a manager */
  deleteManager: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      managerId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** List the open invites of a consumer */
  listManagerInvites: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ManagerInviteList;
  };
  /** Invite a manager */
  inviteManager: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerInviteCreate;
    response: ManagerInvite;
  };
  /** Read an invite */
  getManagerInvite: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      inviteId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ManagerInvite;
  };
  /** Withdraw an invite */
  deleteManagerInvite: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      inviteId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Turn an invite into a manager */
  acceptManagerInvite: {
    params: {
      accountName: string;
      bucketName: string;
      consumerName: string;
      inviteId: string;
    };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerInviteAccept;
    response: Manager;
  };
  /** List metering buckets */
  listMeteringBuckets: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: MeteringBucketList;
  };
  /** Create a metering bucket */
  createMeteringBucket: {
    params: object;
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: MeteringBucketCreate;
    response: MeteringBucket;
  };
  /** Read a metering bucket */
  getMeteringBucket: {
    params: {
      bucketId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: MeteringBucket;
  };
  /** Change a metering bucket */
  updateMeteringBucket: {
    params: {
      bucketId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: MeteringBucketUpdate;
    response: MeteringBucket;
  };
  /** Delete a metering bucket */
  deleteMeteringBucket: {
    params: {
      bucketId: string;
    };
    query: {
      /** Also delete the subscriptions and usage in it. */
      force?: boolean;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List plans */
  listPlans: {
    params: {
      bucketId: string;
    };
    query: {
      planExternalId?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: PlanList;
  };
  /** Create a plan */
  createPlan: {
    params: {
      bucketId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: PlanCreate;
    response: Plan;
  };
  /** Read a plan */
  getPlan: {
    params: {
      bucketId: string;
      planId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Plan;
  };
  /** Change a plan */
  updatePlan: {
    params: {
      bucketId: string;
      planId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: PlanUpdate;
    response: Plan;
  };
  /** Delete a plan */
  deletePlan: {
    params: {
      bucketId: string;
      planId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List subscriptions */
  listSubscriptions: {
    params: {
      bucketId: string;
    };
    query: {
      customerKey?: string;
      subscriptionExternalId?: string;
      planId?: string;
      status?:
        | "active"
        | "inactive"
        | "incomplete"
        | "incomplete-expired"
        | "trialing"
        | "past-due"
        | "canceled"
        | "unpaid";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SubscriptionList;
  };
  /** Create a subscription */
  createSubscription: {
    params: {
      bucketId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: SubscriptionCreate;
    response: Subscription;
  };
  /** Read a subscription */
  getSubscription: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Subscription;
  };
  /** Change a subscription */
  updateSubscription: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: SubscriptionUpdate;
    response: Subscription;
  };
  /** Delete a subscription with its usage */
  deleteSubscription: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Record usage events */
  recordUsage: {
    params: {
      bucketId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: UsageEvents;
    response: IngestedEvents;
  };
  /** Read what was used in a period */
  getUsage: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** A moment in the period; now if left out. */
      at?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Usage;
  };
  /** Preview a change of plans */
  previewPlanChange: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: PlanChange;
    response: PlanChangePreview;
  };
  /** Read what was used period by period */
  getUsageHistory: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The first moment; a year before the end if left out. */
      from?: string;
      /** The end; now if left out. */
      to?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageHistory;
  };
  /** Read what was used by hour or day */
  getUsageSeries: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The first moment, aligned down to the step, but not past the start of its period; that start if left out. */
      from?: string;
      /** The end; now if left out. The step that contains it is included, but nothing past the end of its period. */
      to?: string;
      /** What each point covers. Hours are kept for 90 days. By default `1h` for up to a week, else `1d`. */
      step?: "1h" | "1d";
      /** Looks at this meter alone. */
      meter?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageSeries;
  };
  /** List subscriptions by how much of their quotas they used */
  listUsage: {
    params: {
      bucketId: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** Only subscriptions that used at least this share of a quota, such as `0.8`. */
      near?: string;
      /** Looks at this meter alone. */
      meter?: string;
      /** Only subscriptions of these customers: up to 100 keys, separated by commas. */
      customerKeys?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageShareList;
  };
  /** Take from the quota, or take nothing */
  consumeQuota: {
    params: {
      bucketId: string;
      subscriptionId: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: ConsumeQuota;
    response: ConsumedQuota;
  };
  /** Hold the counters against the events */
  reconcileUsage: {
    params: {
      bucketId: string;
    };
    query: {
      /** Periods that begin at this time or later. */
      from?: string;
      /** Periods that begin before this time. */
      to?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Reconciliation;
  };
  /** Request an upload address for a project */
  requestSourceUpload: {
    params: object;
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: SourceUploadCreate;
    response: SourceUpload;
  };
  /** Upload a project */
  uploadSource: {
    params: {
      archive: string;
    };
    query: {
      token?: string;
    };
    body: undefined;
    response: SourceReceived;
  };
  /** Read how far an upload has come */
  getDeploymentStatus: {
    params: {
      accountName: string;
      projectName: string;
      statusId: string;
    };
    query: object;
    body: undefined;
    response: DeploymentStatus;
  };
  /** List the deployments of a project */
  listDeployments: {
    params: {
      accountName: string;
      projectName: string;
    };
    query: object;
    body: undefined;
    response: DeploymentList;
  };
  /** List the deployments of all projects */
  listAccountDeployments: {
    params: object;
    query: {
      /** Only the deployments of this project. */
      projectName?: string;
      /** Only those of this branch. */
      branchName?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: AccountDeploymentList;
  };
  /** Read a deployment */
  getDeployment: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Deployment;
  };
  /** Delete a deployment */
  deleteDeployment: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Build the stored source again */
  redeploy: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Redeployed;
  };
  /** List the versions of a deployment */
  listDeploymentVersions: {
    params: {
      deploymentName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentVersionList;
  };
  /** Read a version with its contents */
  getDeploymentVersion: {
    params: {
      deploymentName: string;
      versionNumber: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentVersionContents;
  };
  /** Put an earlier version back */
  rollBackDeployment: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: Rollback;
    response: Deployment;
  };
  /** List the routes of a version */
  listDeployedRoutes: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The number of a version; the one that serves if left out. */
      version?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeployedRoutes;
  };
  /** List the upstreams of a deployment, with the health of their targets */
  listDeployedUpstreams: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeployedUpstreams;
  };
  /** Read which versions of a deployment serve, and how its canary does */
  getTraffic: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Traffic;
  };
  /** Divide traffic between the live version and another one */
  splitTraffic: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: TrafficSplit;
    response: Traffic;
  };
  /** Return all traffic to the live version */
  stopCanary: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Make the canary the live version */
  promoteCanary: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Traffic;
  };
  /** Create a header value that selects a version of the canary release */
  testVersion: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: TrafficTestCreate;
    response: TrafficTest;
  };
  /** Send a request to a deployment */
  tryDeployment: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: DeploymentTry;
    response: DeploymentTryResponse;
  };
  /** List custom domains */
  listDomains: {
    params: {
      accountName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: DomainList;
  };
  /** Claim a host for a deployment */
  createDomain: {
    params: {
      accountName: string;
    };
    query: object;
    body: DomainCreate;
    response: Domain;
  };
  /** Read a custom domain */
  getDomain: {
    params: {
      accountName: string;
      domainId: string;
    };
    query: object;
    body: undefined;
    response: Domain;
  };
  /** Change the deployments of a domain */
  updateDomain: {
    params: {
      accountName: string;
      domainId: string;
    };
    query: object;
    body: DomainUpdate;
    response: Domain;
  };
  /** Delete a custom domain */
  deleteDomain: {
    params: {
      accountName: string;
      domainId: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Look a domain's records up now */
  checkDomain: {
    params: {
      accountName: string;
      domainId: string;
    };
    query: object;
    body: Record<string, never>;
    response: Domain;
  };
  /** List the variables of a project */
  listVariables: {
    params: {
      accountName: string;
      projectName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: VariableList;
  };
  /** Read a variable */
  getVariable: {
    params: {
      accountName: string;
      projectName: string;
      variableName: string;
    };
    query: object;
    body: undefined;
    response: Variable;
  };
  /** Set a variable */
  setVariable: {
    params: {
      accountName: string;
      projectName: string;
      variableName: string;
    };
    query: object;
    body: VariableSet;
    response: Variable;
  };
  /** Delete a variable */
  deleteVariable: {
    params: {
      accountName: string;
      projectName: string;
      variableName: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List the requests to a deployment */
  listDeploymentRequests: {
    params: {
      deploymentName: string;
    };
    query: {
      /** A status, such as `429`, or a class of them, such as `4xx`. */
      status?: string;
      method?: string;
      /** The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route. */
      route?: string;
      /** The name of the consumer; empty for requests without one. */
      consumer?: string;
      /** The `x-request-id` of the request. */
      requestId?: string;
      /** Text in the path. */
      q?: string;
      /** Only requests from this time on. */
      from?: string;
      /** Only requests before this time. */
      to?: string;
      /** Only requests before the one with this id: the last of the page before. */
      before?: string;
      /** How many of the newest requests to return; over 1000 becomes 1000. */
      limit?: number;
      /** Returns new requests as server-sent events until the client goes away. */
      follow?: boolean;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: RequestFeed;
  };
  /** List the requests to all deployments of an account */
  listRequests: {
    params: {
      accountName: string;
    };
    query: {
      /** A status, such as `429`, or a class of them, such as `4xx`. */
      status?: string;
      method?: string;
      /** The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route. */
      route?: string;
      /** The name of the consumer; empty for requests without one. */
      consumer?: string;
      /** The `x-request-id` of the request. */
      requestId?: string;
      /** Text in the path. */
      q?: string;
      /** Only requests from this time on. */
      from?: string;
      /** Only requests before this time. */
      to?: string;
      /** Only requests before the one with this id: the last of the page before. */
      before?: string;
      /** How many of the newest requests to return; over 1000 becomes 1000. */
      limit?: number;
      /** Returns new requests as server-sent events until the client goes away. */
      follow?: boolean;
    };
    body: undefined;
    response: RequestFeed;
  };
  /** Read a request */
  getRequest: {
    params: {
      accountName: string;
      requestId: string;
    };
    query: object;
    body: undefined;
    response: Request;
  };
  /** Read what a deployment logged */
  readDeploymentLog: {
    params: {
      deploymentName: string;
    };
    query: {
      /** How many of the newest lines to return; over 1000 becomes 1000. */
      limit?: number;
      /** Only lines from this moment on. */
      since?: string;
      kind?: "access" | "console" | "build";
      /** Streams new lines as server-sent events, as they come, until the client goes. */
      follow?: boolean;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentLog;
  };
  /** Read the audit log */
  listAuditLog: {
    params: {
      accountName: string;
    };
    query: {
      /** Such as `key.rolled`, or `key.*` or `key` for all of a type. */
      action?: string;
      /** The id of a token, `operator` or `system`. */
      actor?: string;
      /** A type, or an id: entries about it and about what belongs to it. */
      resource?: string;
      /** Not before this time. */
      from?: string;
      /** Before this time. */
      to?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** The id of an entry: returns older entries. */
      before?: string;
    };
    body: undefined;
    response: AuditEntries;
  };
  /** Verify the audit log */
  verifyAuditLog: {
    params: {
      accountName: string;
    };
    query: {
      /** `<count>:<hash>` of a head noted before: the log must still hold it. */
      head?: string;
    };
    body: undefined;
    response: AuditVerification;
  };
  /** Read the analytics of a deployment */
  getDeploymentAnalytics: {
    params: {
      deploymentName: string;
    };
    query: {
      /** The first moment, aligned down to the step; a day before the end if left out. */
      from?: string;
      /** The end; now if left out. The step that contains it is included, also while it is under way. */
      to?: string;
      /** What each point covers. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each of these instead of one of all. `key`: API keys by id; not together with `route`. */
      by?: "route" | "status" | "consumer" | "key" | "version" | "deployment";
      /** How many series, the ones with the most requests; the rest is one more, with `isOther`. */
      limit?: number;
      /** Only this route, as the project writes its path; `unknown` for unknown paths. */
      route?: string;
      /** Only this status, such as `429`, or class, such as `4xx`. */
      status?: string;
      /** Only this consumer, by name; empty for requests without one. */
      consumer?: string;
      /** The account to act in, for the operator. Other tokens act in their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Analytics;
  };
  /** Read the analytics of all deployments of an account */
  getAccountAnalytics: {
    params: {
      accountName: string;
    };
    query: {
      /** The first moment, aligned down to the step; a day before the end if left out. */
      from?: string;
      /** The end; now if left out. The step that contains it is included, also while it is under way. */
      to?: string;
      /** What each point covers. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each of these instead of one of all. `key`: API keys by id; not together with `route`. */
      by?: "route" | "status" | "consumer" | "key" | "version" | "deployment";
      /** How many series, the ones with the most requests; the rest is one more, with `isOther`. */
      limit?: number;
      /** Only this route, as the project writes its path; `unknown` for unknown paths. */
      route?: string;
      /** Only this status, such as `429`, or class, such as `4xx`. */
      status?: string;
      /** Only this consumer, by name; empty for requests without one. */
      consumer?: string;
    };
    body: undefined;
    response: Analytics;
  };
  /** Read the analytics of verify-key */
  getVerificationAnalytics: {
    params: {
      accountName: string;
    };
    query: {
      /** The first moment, aligned down to the step; a day before the end if left out. */
      from?: string;
      /** The end; now if left out. The step that contains it is included, also while it is under way. */
      to?: string;
      /** What each point covers. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each of these instead of one of all. */
      by?: "bucket" | "consumer" | "result";
      /** How many series, the ones with the most verifications; the rest is one more, with `isOther`. */
      limit?: number;
      /** Only this key bucket, by name. */
      bucket?: string;
      /** Only keys of this consumer, by name; empty for values that are no key of the bucket. */
      consumer?: string;
      /** Only this result: `valid`, or the code of a rejection. */
      result?:
        | "valid"
        | "malformed"
        | "not_found"
        | "expired"
        | "disabled"
        | "ip_required"
        | "ip_not_allowed"
        | "permission_missing"
        | "rate_limited";
    };
    body: undefined;
    response: VerificationAnalytics;
  };
  /** Find things by name or id */
  search: {
    params: {
      accountName: string;
    };
    query: {
      /** The beginning of a name, an id, a customerKey or a host, or the end of a key: at most what its mask shows. */
      q: string;
    };
    body: undefined;
    response: SearchResult;
  };
  /** List webhooks */
  listWebhooks: {
    params: {
      accountName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: WebhookList;
  };
  /** Create a webhook */
  createWebhook: {
    params: {
      accountName: string;
    };
    query: object;
    body: WebhookCreate;
    response: WebhookWithSecret;
  };
  /** Read a webhook */
  getWebhook: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: undefined;
    response: Webhook;
  };
  /** Change a webhook */
  updateWebhook: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: WebhookUpdate;
    response: Webhook;
  };
  /** Delete a webhook */
  deleteWebhook: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Give a webhook a new secret */
  rotateWebhookSecret: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: WebhookSecretRotation;
    response: WebhookWithSecret;
  };
  /** Send a test message */
  testWebhook: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: Record<string, never>;
    response: WebhookDelivery;
  };
  /** Send the messages of a time again */
  replayWebhook: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: object;
    body: WebhookReplay;
    response: WebhookReplayed;
  };
  /** List deliveries, newest first */
  listWebhookDeliveries: {
    params: {
      accountName: string;
      webhookId: string;
    };
    query: {
      /** How many of the newest to return; over 1000 becomes 1000. */
      limit?: number;
      /** The id of a delivery: only older ones. */
      before?: string;
      status?: "pending" | "succeeded" | "failed";
      type?:
        | "consumer.created"
        | "consumer.updated"
        | "consumer.deleted"
        | "key.created"
        | "key.updated"
        | "key.rolled"
        | "key.deleted"
        | "key.expiring"
        | "key.expired"
        | "plan.created"
        | "plan.updated"
        | "plan.deleted"
        | "subscription.created"
        | "subscription.updated"
        | "subscription.deleted"
        | "subscription.trial_ending"
        | "subscription.renewed"
        | "quota.threshold"
        | "deployment.succeeded"
        | "deployment.failed"
        | "deployment.rolled_back"
        | "deployment.canary_aborted"
        | "deployment.deleted"
        | "domain.activated"
        | "domain.failing"
        | "domain.released"
        | "domain.expired"
        | "domain.updated"
        | "domain.deleted"
        | "webhook.disabled"
        | "webhook.test";
    };
    body: undefined;
    response: WebhookDeliveryList;
  };
  /** Read a delivery with its request and attempts */
  getWebhookDelivery: {
    params: {
      accountName: string;
      webhookId: string;
      deliveryId: string;
    };
    query: object;
    body: undefined;
    response: WebhookDeliveryDetail;
  };
  /** Attempt a delivery again, now */
  retryWebhookDelivery: {
    params: {
      accountName: string;
      webhookId: string;
      deliveryId: string;
    };
    query: object;
    body: Record<string, never>;
    response: WebhookDelivery;
  };
  /** List the saved views of an account */
  listViews: {
    params: {
      accountName: string;
    };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: ViewList;
  };
  /** Save a view */
  createView: {
    params: {
      accountName: string;
    };
    query: object;
    body: ViewCreate;
    response: View;
  };
  /** Read a view */
  getView: {
    params: {
      accountName: string;
      viewId: string;
    };
    query: object;
    body: undefined;
    response: View;
  };
  /** Rename a view or change its filters */
  updateView: {
    params: {
      accountName: string;
      viewId: string;
    };
    query: object;
    body: ViewUpdate;
    response: View;
  };
  /** Delete a view */
  deleteView: {
    params: {
      accountName: string;
      viewId: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Read for how long requests, audit entries and usage events are kept */
  getRetention: {
    params: {
      accountName: string;
    };
    query: object;
    body: undefined;
    response: Retention;
  };
  /** Read version, storage, nodes, feed, caches and last backup */
  getSystemStatus: {
    params: object;
    query: object;
    body: undefined;
    response: SystemStatus;
  };
}

/** Where each operation is found. */
export const routes: Record<keyof Operations, string> = {
  whoAmI: "GET /v1/who-am-i",
  listAccounts: "GET /v1/accounts",
  createAccount: "POST /v1/accounts",
  getAccount: "GET /v1/accounts/{accountName}",
  deleteAccount: "DELETE /v1/accounts/{accountName}",
  listTokens: "GET /v1/accounts/{accountName}/tokens",
  createToken: "POST /v1/accounts/{accountName}/tokens",
  getToken: "GET /v1/accounts/{accountName}/tokens/{tokenId}",
  deleteToken: "DELETE /v1/accounts/{accountName}/tokens/{tokenId}",
  createSession: "POST /v1/sessions",
  listSessions: "GET /v1/sessions",
  deleteSession: "DELETE /v1/sessions/{sessionId}",
  listKeyBuckets: "GET /v1/accounts/{accountName}/key-buckets",
  createKeyBucket: "POST /v1/accounts/{accountName}/key-buckets",
  getKeyBucket: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}",
  updateKeyBucket: "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}",
  deleteKeyBucket: "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}",
  listConsumers: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers",
  createConsumer: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers",
  getConsumer: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}",
  updateConsumer: "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}",
  deleteConsumer: "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}",
  updateConsumers: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/$update",
  deleteConsumers: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/$delete",
  listKeys: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys",
  createKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys",
  getKey: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}",
  updateKey: "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}",
  deleteKey: "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}",
  createKeys: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/$bulk",
  rollKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/roll-key",
  rollOneKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}/$roll",
  verifyKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/verify-key",
  listBucketKeys: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/keys",
  updateKeys: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$update",
  deleteKeys: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$delete",
  getJob: "GET /v1/accounts/{accountName}/jobs/{jobId}",
  listManagers: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers",
  addManager: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers",
  getManager: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}",
  deleteManager:
    "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}",
  listManagerInvites:
    "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites",
  inviteManager: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites",
  getManagerInvite:
    "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites/{inviteId}",
  deleteManagerInvite:
    "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites/{inviteId}",
  acceptManagerInvite:
    "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites/{inviteId}/accept",
  listMeteringBuckets: "GET /v1/metering",
  createMeteringBucket: "POST /v1/metering",
  getMeteringBucket: "GET /v1/metering/{bucketId}",
  updateMeteringBucket: "PATCH /v1/metering/{bucketId}",
  deleteMeteringBucket: "DELETE /v1/metering/{bucketId}",
  listPlans: "GET /v1/metering/{bucketId}/plans",
  createPlan: "POST /v1/metering/{bucketId}/plans",
  getPlan: "GET /v1/metering/{bucketId}/plans/{planId}",
  updatePlan: "PATCH /v1/metering/{bucketId}/plans/{planId}",
  deletePlan: "DELETE /v1/metering/{bucketId}/plans/{planId}",
  listSubscriptions: "GET /v1/metering/{bucketId}/subscriptions",
  createSubscription: "POST /v1/metering/{bucketId}/subscriptions",
  getSubscription: "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}",
  updateSubscription: "PATCH /v1/metering/{bucketId}/subscriptions/{subscriptionId}",
  deleteSubscription: "DELETE /v1/metering/{bucketId}/subscriptions/{subscriptionId}",
  recordUsage: "POST /v1/metering/{bucketId}/events",
  getUsage: "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage",
  previewPlanChange: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$preview",
  getUsageHistory: "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage/history",
  getUsageSeries: "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage-series",
  listUsage: "GET /v1/metering/{bucketId}/usage",
  consumeQuota: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/quotas/consume",
  reconcileUsage: "GET /v1/metering/{bucketId}/reconciliation",
  requestSourceUpload: "POST /v1/deployments/sources",
  uploadSource: "PUT /v1/deployments/sources/{archive}",
  getDeploymentStatus: "GET /v1/accounts/{accountName}/projects/{projectName}/deployment-status/{statusId}",
  listDeployments: "GET /v1/accounts/{accountName}/projects/{projectName}/deployments",
  listAccountDeployments: "GET /v1/deployments",
  getDeployment: "GET /v1/deployments/{deploymentName}",
  deleteDeployment: "DELETE /v1/deployments/{deploymentName}",
  redeploy: "POST /v1/deployments/{deploymentName}/deploy",
  listDeploymentVersions: "GET /v1/deployments/{deploymentName}/versions",
  getDeploymentVersion: "GET /v1/deployments/{deploymentName}/versions/{versionNumber}",
  rollBackDeployment: "POST /v1/deployments/{deploymentName}/rollback",
  listDeployedRoutes: "GET /v1/deployments/{deploymentName}/routes",
  listDeployedUpstreams: "GET /v1/deployments/{deploymentName}/upstreams",
  getTraffic: "GET /v1/deployments/{deploymentName}/traffic",
  splitTraffic: "PUT /v1/deployments/{deploymentName}/traffic",
  stopCanary: "DELETE /v1/deployments/{deploymentName}/traffic",
  promoteCanary: "POST /v1/deployments/{deploymentName}/traffic/$promote",
  testVersion: "POST /v1/deployments/{deploymentName}/traffic/$test",
  tryDeployment: "POST /v1/deployments/{deploymentName}/$try",
  listDomains: "GET /v1/accounts/{accountName}/domains",
  createDomain: "POST /v1/accounts/{accountName}/domains",
  getDomain: "GET /v1/accounts/{accountName}/domains/{domainId}",
  updateDomain: "PATCH /v1/accounts/{accountName}/domains/{domainId}",
  deleteDomain: "DELETE /v1/accounts/{accountName}/domains/{domainId}",
  checkDomain: "POST /v1/accounts/{accountName}/domains/{domainId}/check",
  listVariables: "GET /v1/accounts/{accountName}/projects/{projectName}/variables",
  getVariable: "GET /v1/accounts/{accountName}/projects/{projectName}/variables/{variableName}",
  setVariable: "PUT /v1/accounts/{accountName}/projects/{projectName}/variables/{variableName}",
  deleteVariable: "DELETE /v1/accounts/{accountName}/projects/{projectName}/variables/{variableName}",
  listDeploymentRequests: "GET /v1/deployments/{deploymentName}/requests",
  listRequests: "GET /v1/accounts/{accountName}/requests",
  getRequest: "GET /v1/accounts/{accountName}/requests/{requestId}",
  readDeploymentLog: "GET /v1/deployments/{deploymentName}/logs",
  listAuditLog: "GET /v1/accounts/{accountName}/audit-log",
  verifyAuditLog: "GET /v1/accounts/{accountName}/audit-log/verification",
  getDeploymentAnalytics: "GET /v1/deployments/{deploymentName}/analytics",
  getAccountAnalytics: "GET /v1/accounts/{accountName}/analytics",
  getVerificationAnalytics: "GET /v1/accounts/{accountName}/analytics/verifications",
  search: "GET /v1/accounts/{accountName}/search",
  listWebhooks: "GET /v1/accounts/{accountName}/webhooks",
  createWebhook: "POST /v1/accounts/{accountName}/webhooks",
  getWebhook: "GET /v1/accounts/{accountName}/webhooks/{webhookId}",
  updateWebhook: "PATCH /v1/accounts/{accountName}/webhooks/{webhookId}",
  deleteWebhook: "DELETE /v1/accounts/{accountName}/webhooks/{webhookId}",
  rotateWebhookSecret: "POST /v1/accounts/{accountName}/webhooks/{webhookId}/rotate-secret",
  testWebhook: "POST /v1/accounts/{accountName}/webhooks/{webhookId}/test",
  replayWebhook: "POST /v1/accounts/{accountName}/webhooks/{webhookId}/replay",
  listWebhookDeliveries: "GET /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries",
  getWebhookDelivery: "GET /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries/{deliveryId}",
  retryWebhookDelivery: "POST /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
  listViews: "GET /v1/accounts/{accountName}/views",
  createView: "POST /v1/accounts/{accountName}/views",
  getView: "GET /v1/accounts/{accountName}/views/{viewId}",
  updateView: "PATCH /v1/accounts/{accountName}/views/{viewId}",
  deleteView: "DELETE /v1/accounts/{accountName}/views/{viewId}",
  getRetention: "GET /v1/accounts/{accountName}/retention",
  getSystemStatus: "GET /v1/system",
};
