// Written by `npm run generate` from the OpenAPI document. Do not edit.

interface Page<T> {
  data: T[];
  limit: number;
  offset: number;
  total: number;
}

/** An error (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: { pointer: string; detail: string }[];
  trace: { requestId: string; timestamp: string };
}

/** The account and role of a credential. */
export interface Identity {
  /** The id of the token or the person, or `operator`. */
  sub: string;
  /** Of a person. Tokens have none. */
  type?: "person";
  account?: string;
  role: "admin" | "editor" | "reader" | "billing" | "verifier" | "operator";
  /** Of a person. */
  email?: string;
  /** Of a person, if it has one. */
  name?: string;
  /** Of a person or an exchanged token whose role is limited to these projects. */
  projects?: { project: string; role: "editor" | "reader" }[];
  /** Of an exchanged token that is limited to deployments of these environments. */
  environments?: ("PRODUCTION" | "PREVIEW")[];
  /** Of an exchanged token that is limited to this branch. */
  branch?: string;
  /** All accounts of a person. With several, name one with `?accountName=`. */
  accounts?: {
    account: string;
    role: "admin" | "editor" | "reader" | "billing";
    projects?: { project: string; role: "editor" | "reader" }[];
  }[];
}

/** One page of a list, in the order of creation. */
export type AccountList = Page<Account>;

/** A tenant of this installation. Every other resource belongs to one account. */
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
export type TokenList = Page<Token>;

/** A credential of this API. Its value is shown only when it is created. */
export interface Token {
  id: string;
  name?: string;
  role: "admin" | "editor" | "reader" | "billing" | "verifier";
  createdOn: string;
  /** The id of the person who created it, if a person did. */
  createdBy?: string;
  expiresOn?: string;
  /** Known to the minute. */
  lastUsedOn?: string;
  /** Of an exchanged token: the id of the trusted issuer. Its name is the subject. */
  trustedIssuer?: string;
  /** Of an exchanged token: the only project. */
  project?: string;
  /** Of an exchanged token: the environments of the deployments that it may change. */
  environments?: ("PRODUCTION" | "PREVIEW")[];
  /** Of an exchanged token: the only branch. */
  branch?: string;
}

export interface TokenCreate {
  /** `admin`: everything. `editor`: everything except tokens and members. `reader`: GET, keys masked. `billing`: as reader, and changes to plans and subscriptions. `verifier`: verify-key and usage. */
  role: "admin" | "editor" | "reader" | "billing" | "verifier";
  name?: string;
  expiresOn?: string;
}

export interface CreatedToken extends Token {
  /** The value. It is not shown again. */
  token: string;
}

/** One page of a list, in the order of creation. */
export type HourlyExportList = Page<HourlyExport>;

/** Writes each closed hour to object storage or a folder. */
export interface HourlyExport {
  id: string;
  name: string;
  to: { url: string; endpoint?: string; region?: string; accessKeyId?: string };
  kinds: ("events" | "requests" | "invoices" | "audit")[];
  format: "parquet" | "ndjson";
  isEnabled: boolean;
  /** The start of the first hour, without a backfill in progress. */
  firstHour: string;
  /** The start of the last hour that was written, or null. */
  lastHour: string | null;
  /** How long the next hour has been closed and not written; 0 if none is. */
  delaySeconds: number;
  /** The backfill in progress: its first hour, the next one to write, and its end. */
  backfill?: { from: string; nextHour: string; to: string };
  failingSince?: string;
  /** Of the last attempt, if it failed. */
  lastError?: string;
  createdOn: string;
  updatedOn: string;
}

export interface HourlyExportCreate {
  /** 1 to 128 characters of a-z, 0-9, `_` and `-`. Unique in the account; part of the names of objects. */
  name: string;
  to: {
    /** `s3://bucket/prefix`, or `file:` and an absolute path below `TOLLGATE_EXPORT_DIR` and the account's name. */
    url: string;
    /** Of a storage other than Amazon S3, such as `https://minio.acme.example`. */
    endpoint?: string;
    /** By default `us-east-1`. */
    region?: string;
    /** For `s3://`. Needs the permission to put objects below the prefix. Stored encrypted. */
    credential?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  };
  kinds: ("events" | "requests" | "invoices" | "audit")[];
  format: "parquet" | "ndjson";
  /** With false nothing is written; afterwards, what was missed is. */
  isEnabled?: boolean;
  /** The first hour. By default the current one. */
  from?: string;
}

export interface HourlyExportUpdate {
  /** With false nothing is written; afterwards, what was missed is. */
  isEnabled?: boolean;
  /** For `s3://`. Needs the permission to put objects below the prefix. Stored encrypted. */
  credential?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

export interface HourlyExportBackfill {
  /** The first hour to write. */
  from: string;
  /** The end of the hours to write. By default the first hour of the export if `from` is before it, otherwise the next hour. */
  to?: string;
}

/** One page of a list, in the order of creation. */
export type TrustedIssuerList = Page<TrustedIssuer>;

/** An identity provider, such as a CI service, whose tokens are exchanged for tokens of this API. */
export interface TrustedIssuer {
  id: string;
  issuer: string;
  audience: string;
  subject: string;
  claims?: Record<string, string | string[]>;
  role: "editor" | "reader" | "billing" | "verifier";
  project?: string;
  environments: ("PRODUCTION" | "PREVIEW")[];
  branchClaim?: string;
  createdOn: string;
  updatedOn: string;
}

export interface TrustedIssuerCreate {
  /** Of the tokens, exactly. Its discovery document names the keys. */
  issuer: string;
  /** One of the token's `aud`. By default `<public URL>/v1/accounts/<account>`. */
  audience?: string;
  /** A pattern of the token's `sub`, such as `repo:acme/shop:*`: `*` is any text, and all else is literal. */
  subject: string;
  /** Further claims, each with a pattern or several. A list in the token matches with one item. */
  claims?: Record<string, string | string[]>;
  /** The role of the tokens, at most `editor`. */
  role: "editor" | "reader" | "billing" | "verifier";
  /** Limits the tokens to this project. */
  project?: string;
  /** The environments of the deployments that the tokens may read and change. */
  environments?: ("PRODUCTION" | "PREVIEW")[];
  /** The claim that names the branch, which is then the only one, such as `head_ref` or `ref`. `refs/heads/` is removed; other refs, such as tags, are rejected. */
  branchClaim?: string;
}

export interface TrustedIssuerUpdate {
  audience?: string | null;
  /** A pattern of the token's `sub`, such as `repo:acme/shop:*`: `*` is any text, and all else is literal. */
  subject?: string;
  claims?: Record<string, string | string[]> | null;
  /** The role of the tokens, at most `editor`. */
  role?: "editor" | "reader" | "billing" | "verifier";
  project?: string | null;
  /** The environments of the deployments that the tokens may read and change. */
  environments?: ("PRODUCTION" | "PREVIEW")[];
  branchClaim?: string | null;
}

export interface TokenExchange {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange";
  /** The provider's token: a JWT. */
  subject_token: string;
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt" | "urn:ietf:params:oauth:token-type:id_token";
  requested_token_type?: "urn:ietf:params:oauth:token-type:access_token";
  /** `<public URL>/v1/accounts/<account>`, if trusted issuers of several accounts accept the token. */
  audience?: string;
}

export interface ExchangedToken {
  /** A token of this API. */
  access_token: string;
  issued_token_type: "urn:ietf:params:oauth:token-type:access_token";
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  /** The role of the token. */
  scope: string;
}

/** An error of RFC 6749, section 5.2. */
export interface OAuthError {
  error: "invalid_request" | "invalid_grant" | "invalid_target" | "unsupported_grant_type" | "temporarily_unavailable";
  error_description: string;
}

/** One page of a list, in the order of creation. */
export type MemberList = Page<Member>;

/** A person with a role in an account. */
export interface Member {
  /** The person's id, as in the audit log. An invited person may have another one until they accept, which then still finds them. */
  id: string;
  email: string;
  name?: string;
  role: "admin" | "editor" | "reader" | "billing";
  projects?: { project: string; role: "editor" | "reader" }[];
  /** `invited` until the person has accepted. */
  state: "invited" | "active";
  /** `claim`: the identity provider decides the role at each sign-in. */
  roleSource: "invitation" | "claim";
  createdOn: string;
  updatedOn: string;
  /** Until it is accepted. */
  invitationExpiresOn?: string;
  /** The last sign-in. */
  signedInOn?: string;
}

export interface MemberInvite {
  email: string;
  name?: string;
  /** `admin`: everything. `editor`: all but tokens and members. `reader`: GET, keys masked. `billing`: as reader, and changes to plans and subscriptions. */
  role: "admin" | "editor" | "reader" | "billing";
  /** Limits an `editor` or `reader` to deployments, variables, requests, logs and analytics of these projects. */
  projects?: { project: string; role: "editor" | "reader" }[];
}

export interface InvitedMember extends Member {
  /** The link to accept the invitation, if this server sends no mail. It is not shown again. */
  invitationUrl?: string;
}

export interface MemberUpdate {
  name?: string | null;
  /** `admin`: everything. `editor`: all but tokens and members. `reader`: GET, keys masked. `billing`: as reader, and changes to plans and subscriptions. */
  role?: "admin" | "editor" | "reader" | "billing";
  projects?: { project: string; role: "editor" | "reader" }[] | null;
}

export interface RemovedMember {
  /** How many sessions ended. */
  sessions: number;
  /** Tokens that the person created. They still work; delete them one by one. */
  tokens: Token[];
}

export interface OwnInvitations {
  data: OwnInvitation[];
}

/** An invitation of the caller. It has no effect until they accept it. */
export interface OwnInvitation {
  account: string;
  role: "admin" | "editor" | "reader" | "billing";
  projects?: { project: string; role: "editor" | "reader" }[];
  /** The name of the person or the token that sent it. */
  invitedBy?: string;
  expiresOn: string;
}

export interface InvitationAccept {
  /** What follows `#` in the link. */
  invitation: string;
}

export interface Invitation {
  account: string;
  email: string;
  name?: string;
  role: "admin" | "editor" | "reader" | "billing";
  expiresOn: string;
}

/** One page of a list, in the order of creation. */
export type MailList = Page<Mail>;

/** A mail, without its text. */
export interface Mail {
  id: string;
  /** `invitation`, `sign-in`, `leaked-key`, `portal-sign-in`, `portal-invitation`, `portal-access`, `portal-welcome`, `portal-account-deleted`, `payment-action`, or `billing-` and what it is about. */
  kind: string;
  to: string;
  /** `sent`: the mail server has accepted it. `failed`: it was rejected, or too many attempts failed. `expired`: what it is about has ended. */
  state: "queued" | "sent" | "failed" | "expired";
  attempts: number;
  createdOn: string;
  nextAttemptOn?: string;
  endedOn?: string;
  /** Of the last attempt, if it failed. */
  error?: string;
}

export interface SessionCreate {
  /** A token of this server. */
  token: string;
}

/** The session. Its secret is only in the cookie. */
export interface CreatedSession {
  id: string;
  expiresOn: string;
  caller: Identity;
}

/** One page of a list, in the order of creation. */
export type SessionList = Page<Session>;

/** A browser that is signed in. */
export interface Session {
  id: string;
  owner: { type: "token" | "person" | "operator"; id: string; name?: string };
  /** How the browser was signed in. */
  method: "token" | "invitation" | "mail" | "oidc";
  /** The client address of the sign-in. */
  ip?: string;
  createdOn: string;
  /** Known to the minute. */
  lastUsedOn: string;
  /** The latest end; the session ends earlier after 12 hours without a request. */
  expiresOn: string;
  /** Whether it is the session of this request. */
  isCurrent: boolean;
}

/** One page of a list, in the order of creation. */
export type AccountSessionList = Page<Session>;

export interface SignInMethods {
  /** Whether people sign in by mail. */
  mail: boolean;
  /** Whether any account has a member or an invitation. Without one, only tokens sign in. */
  hasMembers: boolean;
  /** The host of the identity provider, if there is one. */
  provider?: string;
}

export interface SignInStart {
  email: string;
}

export interface StartedSignIn {
  expiresOn: string;
}

export interface SignInCode {
  /** The code of the mail: 8 digits; spaces are ignored. */
  code: string;
}

export interface SignInLink {
  /** What follows `#` in the link. */
  link: string;
}

/** One page of a list, in the order of creation. */
export type KeyBucketList = Page<KeyBucket>;

/** A container for consumers and their keys, such as those of one API or environment. */
export interface KeyBucket {
  id: string;
  name: string;
  description?: string;
  tags?: Record<string, string | number | boolean>;
  isRetrievable: boolean;
  keyPrefix: string;
  /** What happens to a key that is reported as leaked: it is marked, or also disabled. */
  onLeak: "mark" | "disable";
  /** The issuers whose tokens `jwt` policies may map to consumers of the bucket if a caller with a role in projects, or a token for some deployments, builds them. Other callers may map tokens of any issuer. */
  tokenIssuers: {
    /** The `iss` of the tokens, exactly. */
    issuer: string;
    /** The claim that has the name of the consumer. */
    claim: string;
    /** Where the keys are, if the policies do not find them by discovery. */
    jwksUrl?: string;
  }[];
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
  /** The prefix of generated keys. */
  keyPrefix?: string;
  /** What happens to a key that is reported as leaked: it is marked, or also disabled. */
  onLeak?: "mark" | "disable";
  /** The issuers whose tokens `jwt` policies may map to consumers of the bucket if a caller with a role in projects, or a token for some deployments, builds them. Other callers may map tokens of any issuer. */
  tokenIssuers?: {
    /** The `iss` of the tokens, exactly. */
    issuer: string;
    /** The claim that has the name of the consumer. */
    claim: string;
    /** Where the keys are, if the policies do not find them by discovery. */
    jwksUrl?: string;
  }[];
}

export interface KeyBucketUpdate {
  description?: string | null;
  tags?: Record<string, string | number | boolean> | null;
  /** The prefix of generated keys. */
  keyPrefix?: string;
  /** What happens to a key that is reported as leaked: it is marked, or also disabled. */
  onLeak?: "mark" | "disable";
  tokenIssuers?:
    | {
        /** The `iss` of the tokens, exactly. */
        issuer: string;
        /** The claim that has the name of the consumer. */
        claim: string;
        /** Where the keys are, if the policies do not find them by discovery. */
        jwksUrl?: string;
      }[]
    | null;
}

/** One page of a list, in the order of creation. */
export type ConsumerList = Page<Consumer>;

/** A named holder of API keys: a customer, a team, a program. */
export interface Consumer {
  id: string;
  name: string;
  displayName?: string;
  description?: string;
  tags?: Record<string, string | number | boolean>;
  metadata?: Record<string, unknown>;
  /** Present for a suspended consumer. */
  isSuspended?: boolean;
  suspensionReason?: string;
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
  /** The key is valid before this time; null if it does not expire. */
  expiresOn: string | null;
  description?: string;
  isEnabled: boolean;
  permissions?: string[];
  allowedIps?: string[];
  rateLimit?: KeyRateLimit;
  metadata?: Record<string, unknown>;
  /** The time of the last use, at most a minute late; null if it was never used. Not part of the ETag. */
  lastUsedOn: string | null;
  /** The value, in the form that `key-format` selects. */
  key?: string;
  /** Present if the value was reported as leaked. */
  leak?: { reportedOn: string; source: string; url?: string };
  /** Present if only the hash of the value is stored: the value is never shown. */
  isRetrievable?: false;
}

/** The rate limit of the key, counted for the gateway and verify-key together, in addition to the limits of routes. */
export interface KeyRateLimit {
  /** The number of requests in a window. */
  requests: number;
  /** The length of a window. Windows begin at multiples of it since 1970, in UTC. */
  windowSeconds: number;
}

/** A person who manages a consumer's keys. */
export interface Manager {
  id: string;
  createdOn: string;
  email?: string;
  sub: string;
  /** What the manager may do in the portal. Left out if that is everything. */
  scopes?: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
}

/** An email address that may become a manager. */
export interface ManagerInvite {
  id: string;
  email: string;
  createdOn: string;
  expiresOn: string;
  /** What the manager may do in the portal. Left out if that is everything. */
  scopes?: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
}

export interface ConsumerCreate {
  /** 1 to 128 characters of a-z, 0-9 and `-`; unique in the bucket, and fixed after creation. */
  name: string;
  /** What people call it: one line of at most 80 characters. Pages, mail and invoices show it. */
  displayName?: string;
  /** At most 1,000 characters. */
  description?: string;
  /** At most 50; names up to 128 characters, values text, number or boolean up to 256. */
  tags?: Record<string, string | number | boolean>;
  /** Any JSON object, at most 16384 bytes in its compact form. */
  metadata?: Record<string, unknown>;
  apiKeys?: {
    /** 16 to 512 visible ASCII characters, unique in the bucket. Generated by default. */
    key?: string;
    /** The SHA-256 of a value that another system issued, without a salt, in hex or base64. It replaces `key`. */
    hash?: { sha256: string };
    /** With `hash`: the last characters of the value, to recognize the key in lists. */
    suffix?: string;
    expiresOn?: string | null;
    /** At most 1,000 characters. */
    description?: string;
    /** Whether the key is enabled; true by default. */
    isEnabled?: boolean;
    /** At most 50. `orders:*` grants everything that begins with `orders:`. A key without permissions has none. */
    permissions?: string[];
    /** 1 to 50 addresses or CIDRs, IPv4 or IPv6, from which the key can be used. By default every address is allowed. */
    allowedIps?: string[];
    rateLimit?: KeyRateLimit;
    /** Any JSON object, at most 16384 bytes in its compact form. */
    metadata?: Record<string, unknown>;
    id?: unknown;
    createdOn?: unknown;
    updatedOn?: unknown;
    lastUsedOn?: unknown;
    isRetrievable?: unknown;
    leak?: unknown;
  }[];
  /** Email addresses to invite, or managers with their `sub`. */
  managers?: (
    | string
    | {
        /** The person's subject at your identity provider. */
        sub: string;
        email?: string;
        /** What the manager may do in the portal. Everything, if it is left out. */
        scopes?: (
          | "keys:read"
          | "keys:write"
          | "usage:read"
          | "requests:read"
          | "plans:write"
          | "invoices:read"
          | "people:write"
        )[];
        id?: unknown;
        createdOn?: unknown;
        updatedOn?: unknown;
      }
  )[];
}

export interface ConsumerUpdate {
  displayName?: string | null;
  description?: string | null;
  tags?: Record<string, string | number | boolean> | null;
  metadata?: Record<string, unknown> | null;
  /** A suspended consumer's keys and programs are rejected with 403 `consumer_suspended`. In the portal it can only read and pay. */
  isSuspended?: boolean;
  /** Why it is suspended. The customer reads it in the portal. It is removed when the suspension ends. */
  suspensionReason?: string | null;
}

export interface UpdateConsumers {
  /** The consumers, by name. */
  names?: string[];
  where?: ConsumerWhere;
  /** Only return the matches, without changing anything. */
  dryRun?: boolean;
  set: {
    description?: string | null;
    /** Tags to add; they replace tags of the same name. */
    addTags?: Record<string, string | number | boolean>;
    /** Names of tags to remove, before tags are added. */
    removeTags?: string[];
    /** A suspended consumer's keys and programs are rejected with 403 `consumer_suspended`. In the portal it can only read and pay. */
    isSuspended?: boolean;
    /** Why it is suspended. The customer reads it in the portal. It is removed when the suspension ends. */
    suspensionReason?: string | null;
  };
}

/** Conditions that must all match; `tag.<name>` is the value of a tag. */
export interface ConsumerWhere {
  /** Consumers whose name has this prefix. */
  q?: string;
  /** Consumers with a manager or an invite of this email address. */
  "manager-email"?: string;
  [name: string]: string | undefined;
}

/** The result of a dry run or of up to 1,000 consumers, or the id of the job for more. */
export type BulkConsumersResult =
  | JobStarted
  | { results: { name: string; status: "updated" | "deleted" | "not_found" }[] }
  | {
      matched: number;
      /** The number of their keys. */
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
  /** Only return the matches, without changing anything. */
  dryRun?: boolean;
}

/** One page of a list, in the order of creation. */
export type ApiKeyList = Page<ApiKey>;

export interface ApiKeyCreate {
  /** 16 to 512 visible ASCII characters, unique in the bucket. Generated by default. */
  key?: string;
  /** The SHA-256 of a value that another system issued, without a salt, in hex or base64. It replaces `key`. */
  hash?: { sha256: string };
  /** With `hash`: the last characters of the value, to recognize the key in lists. */
  suffix?: string;
  expiresOn?: string | null;
  /** At most 1,000 characters. */
  description?: string;
  /** Whether the key is enabled; true by default. */
  isEnabled?: boolean;
  /** At most 50. `orders:*` grants everything that begins with `orders:`. A key without permissions has none. */
  permissions?: string[];
  /** 1 to 50 addresses or CIDRs, IPv4 or IPv6, from which the key can be used. By default every address is allowed. */
  allowedIps?: string[];
  rateLimit?: KeyRateLimit;
  /** Any JSON object, at most 16384 bytes in its compact form. */
  metadata?: Record<string, unknown>;
}

export interface ApiKeyUpdate {
  /** 16 to 512 visible ASCII characters, unique in the bucket. Generated by default. */
  key?: string;
  expiresOn?: string | null;
  description?: string | null;
  /** Whether the key is enabled. */
  isEnabled?: boolean;
  permissions?: string[] | null;
  allowedIps?: string[] | null;
  rateLimit?: KeyRateLimit | null;
  metadata?: Record<string, unknown> | null;
}

export interface RollKey {
  /** The expiry of the keys that have none; a past time revokes them immediately. */
  expiresOn: string;
}

export interface RollOneKey {
  /** The expiry of the key, unless it expires earlier; a past time revokes it immediately. */
  expiresOn: string;
}

export interface VerifyKey {
  key: string;
  /** The client address; required for keys with `allowedIps`. */
  ip?: string;
  /** A permission that the key must have. */
  permission?: string;
  /** Takes the amounts from the plan of the key's consumer, all or none. */
  consume?: {
    /** The metering bucket with the plans and subscriptions: its id or its name. */
    bucketId: string;
    meters: Record<string, number>;
  };
  /** Holds the amounts until they are settled or released, for usage that is known later. It replaces `consume`. */
  hold?: {
    /** The metering bucket with the plans and subscriptions: its id or its name. */
    bucketId: string;
    meters: Record<string, number>;
    /** When the hold ends by itself. */
    expiresInSeconds?: number;
    /** Whether the amounts are returned then, or count as used. */
    onExpiry?: "release" | "count";
  };
  /** Returns a valid key as valid, with `observed` instead of a rejection for its permission, its rate limit or a quota. Amounts are taken beyond the maximum. */
  observe?: boolean;
}

export type KeyVerification =
  | {
      valid: true;
      keyId: string;
      consumer: { id: string; name: string };
      user: { sub: string; data: Record<string, unknown> };
      expiresOn: string | null;
      permissions?: string[];
      /** By meter. `available` is never below 0; `used` may exceed `max`. */
      meters?: Record<
        string,
        {
          label?: string;
          used: number;
          max: number;
          available: number;
          /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
          credits?: number;
        }
      >;
      /** With `meters`: the end of the period that they are counted in. */
      periodEnd?: string;
      /** With `consume` or `hold`: the state of the key's rate limit, if it has one. */
      rateLimit?: { limit: number; remaining: number; resetSeconds: number };
      /** With `hold`: the id to settle or release it with. */
      holdId?: string;
      /** With `observe`: why the key would have been rejected. */
      observed?: {
        code:
          | "permission_missing"
          | "rate_limited"
          | "quota_exceeded"
          | "no_subscription"
          | "meter_not_in_plan"
          | "spend_cap_reached"
          | "credit_exhausted"
          | "payment_required";
        /** With `rate_limited`: when the window ends. With `quota_exceeded`: when the next period begins. */
        retryAfterSeconds?: number;
      };
    }
  | {
      valid: false;
      code:
        | "malformed"
        | "not_found"
        | "expired"
        | "disabled"
        | "consumer_suspended"
        | "ip_required"
        | "ip_not_allowed"
        | "permission_missing"
        | "rate_limited"
        | "quota_exceeded"
        | "no_subscription"
        | "meter_not_in_plan"
        | "spend_cap_reached"
        | "credit_exhausted"
        | "payment_required";
      /** If the key is valid, but its consumer's plan allows no more. */
      keyId?: string;
      consumer?: { id: string; name: string };
      /** With `rate_limited`: when the window ends. With `quota_exceeded`: when the next period begins. */
      retryAfterSeconds?: number;
      /** By meter. `available` is never below 0; `used` may exceed `max`. */
      meters?: Record<
        string,
        {
          label?: string;
          used: number;
          max: number;
          available: number;
          /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
          credits?: number;
        }
      >;
      /** With `meters`: the end of the period that they are counted in. */
      periodEnd?: string;
      /** With `consume` or `hold`: the state of the key's rate limit, if it has one. */
      rateLimit?: { limit: number; remaining: number; resetSeconds: number };
    };

/** One page of a list, in the order of creation. */
export type ListedApiKeyList = Page<ListedApiKey>;

/** A key with its consumer. */
export interface ListedApiKey extends ApiKey {
  consumer: { id: string; name: string };
}

export interface UpdateKeys {
  /** The keys, by id. */
  ids?: string[];
  where?: KeyWhere;
  /** Only return the matches, without changing anything. */
  dryRun?: boolean;
  set: Omit<ApiKeyUpdate, "key">;
}

/** Conditions that must all match; `tag.<name>` is a tag of the consumer. */
export interface KeyWhere {
  /** Keys last used before this time, or never used and created before it. */
  "unused-since"?: string;
  /** Keys whose `expiresOn` is before this time. */
  "expires-before"?: string;
  /** Keys created before this time. */
  "created-before"?: string;
  /** Keys that have this permission, also by a prefix such as `orders:*`. */
  permission?: string;
  /** Keys with these last characters, at most those that the masked form shows. */
  suffix?: string;
  /** Keys that were never used; with false, those that were. */
  "never-used"?: boolean;
  /** Keys that are enabled; with false, those that are disabled. */
  enabled?: boolean;
  [name: string]: string | boolean | undefined;
}

/** The result of a dry run or of up to 1,000 keys, or the id of the job for more. */
export type BulkKeysResult =
  | JobStarted
  | { results: { id: string; status: "updated" | "deleted" | "not_found" }[] }
  | { matched: number; sample: ListedApiKey[] };

export interface LeakReport {
  /** The values that were found, whether they are keys or not. */
  keys: string[];
  /** Who found them, such as `github`. */
  source: string;
  /** Where they were found. */
  url?: string;
}

export interface DeleteKeys {
  /** The keys, by id. */
  ids?: string[];
  where?: KeyWhere;
  /** Only return the matches, without changing anything. */
  dryRun?: boolean;
}

/** Work that continues in the background, also after a restart. */
export interface Job {
  id: string;
  state: "queued" | "running" | "succeeded" | "failed" | "canceled";
  /** The number of processed items, including failed ones. */
  done: number;
  /** The number of items when it was started. */
  total: number;
  /** The number of items that could not be changed, such as deleted keys. */
  failed: number;
  createdOn: string;
  updatedOn: string;
}

/** One page of a list, in the order of creation. */
export type ManagerList = Page<Manager>;

export interface ManagerCreate {
  /** The person's subject at your identity provider. */
  sub: string;
  email?: string;
  /** What the manager may do in the portal. Everything, if it is left out. */
  scopes?: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
}

export interface ManagerUpdate {
  scopes?:
    | ("keys:read" | "keys:write" | "usage:read" | "requests:read" | "plans:write" | "invoices:read" | "people:write")[]
    | null;
}

/** One page of a list, in the order of creation. */
export type ManagerInviteList = Page<ManagerInvite>;

export interface ManagerInviteCreate {
  email: string;
  /** What the manager may do in the portal. Everything, if it is left out. */
  scopes?: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
}

export interface ManagerInviteAccept {
  /** The person's subject at your identity provider. */
  sub: string;
}

/** One page of a list, in the order of creation. */
export type MeteringBucketList = Page<MeteringBucket>;

/** A container for plans, subscriptions and usage. */
export interface MeteringBucket {
  id: string;
  name?: string;
  accountName: string;
  keyBucket?: string;
  isTest?: boolean;
  /** The time in a test bucket. */
  clock?: string;
  createdOn: string;
  updatedOn: string;
}

export interface MeteringBucketCreate {
  /** Unique in the account; can be used instead of the id. */
  name?: string;
  /** The name of the key bucket whose consumers are its customers. Consumers of other key buckets have no subscription in it. Without it, consumers of all key buckets are matched by their name. */
  keyBucket?: string;
  /** Its time stands still until it is moved, and no money is collected. */
  isTest?: boolean;
}

export interface MeteringBucketUpdate {
  name?: string | null;
  keyBucket?: string | null;
}

/** One page of a list, in the order of creation. */
export type PlanList = Page<Plan>;

/** The limits of subscribers. */
export interface Plan {
  id: string;
  label: string;
  planExternalId: string;
  meters: Record<string, { label?: string; max: number }>;
  trialDays?: number;
  trialEndStatus?: "paused" | "canceled";
  isTrialCollectPayment?: boolean;
  price?: { currency: string; amount: string; interval: "month" | "year" };
  rates?: Record<
    string,
    {
      overage: "block" | "bill" | "prepaid";
      tiers?: { upTo: number | null; unitAmount: string; flatAmount?: string }[];
      tierMode?: "graduated" | "volume" | "package";
      packageSize?: number;
    }
  >;
  rollover?: Record<string, { maximum: number; periods: number }>;
  features?: Record<string, boolean | number | string>;
  description?: string;
  isPublic?: boolean;
  position?: number;
  hasSubscriptions: boolean;
  createdOn: string;
  updatedOn: string;
}

export interface PlanCreate {
  label: string;
  /** Its identifier in your billing system; unique in the bucket. */
  planExternalId: string;
  /** The maximum of each meter in a period. Names are 1 to 64 characters of A-Z, a-z, 0-9, _, . and -. */
  meters: Record<string, { label?: string; max: number }>;
  trialDays?: number;
  trialEndStatus?: "paused" | "canceled";
  isTrialCollectPayment?: boolean;
  /** The fee for each billing period, charged in advance. */
  price?: {
    /** A currency of ISO 4217, such as EUR. */
    currency: string;
    /** A decimal as text, with at most 12 decimals. */
    amount: string;
    interval: "month" | "year";
  };
  /** The prices of usage beyond `max`, by meter. At most one plan of a subscription rates a meter. */
  rates?: Record<
    string,
    {
      /** What happens to usage beyond the plan's maximum. `bill`: it is allowed and billed. `prepaid`: it is allowed as far as money grants cover its price, and `block` in a trial. `block`: it is rejected. */
      overage: "block" | "bill" | "prepaid";
      /** Required for `bill` and `prepaid`. Tiers count units beyond the plan's maximum. */
      tiers?: {
        /** The last unit of the tier, counted beyond the plan's maximum. Null for the last tier. */
        upTo: number | null;
        /** A decimal as text, with at most 12 decimals. */
        unitAmount: string;
        /** Charged once if the tier is reached. */
        flatAmount?: string;
      }[];
      /** `graduated`: each unit has the price of its tier. `volume`: all units have the price of the tier that they reach, with only its `flatAmount`. `package`: units are sold in packages of `packageSize`, and `unitAmount` is the price of a package. */
      tierMode?: "graduated" | "volume" | "package";
      packageSize?: number;
    }
  >;
  /** What is carried over of unused units at a renewal, by meter: at most `maximum`, as a meter grant that expires after `periods`. It exists an hour after the end of the period, once the fee of that period is paid. */
  rollover?: Record<
    string,
    {
      /** The most units that are carried over from one period. */
      maximum: number;
      /** After how many periods they expire. */
      periods?: number;
    }
  >;
  /** What the plan includes besides its meters: true, a number or text for each name. */
  features?: Record<string, true | number | string>;
  description?: string;
  /** Whether customers see the plan in the portal. */
  isPublic?: boolean;
  /** Where the plan is in the list that customers see. */
  position?: number;
}

export interface PlanUpdate {
  label?: string;
  planExternalId?: string;
  /** The maximum of each meter in a period. Names are 1 to 64 characters of A-Z, a-z, 0-9, _, . and -. */
  meters?: Record<string, { label?: string; max: number }>;
  trialDays?: number | null;
  trialEndStatus?: "paused" | "canceled" | null;
  isTrialCollectPayment?: boolean | null;
  price?: {
    /** A currency of ISO 4217, such as EUR. */
    currency: string;
    /** A decimal as text, with at most 12 decimals. */
    amount: string;
    interval: "month" | "year";
  } | null;
  rates?: Record<
    string,
    {
      /** What happens to usage beyond the plan's maximum. `bill`: it is allowed and billed. `prepaid`: it is allowed as far as money grants cover its price, and `block` in a trial. `block`: it is rejected. */
      overage: "block" | "bill" | "prepaid";
      /** Required for `bill` and `prepaid`. Tiers count units beyond the plan's maximum. */
      tiers?: {
        /** The last unit of the tier, counted beyond the plan's maximum. Null for the last tier. */
        upTo: number | null;
        /** A decimal as text, with at most 12 decimals. */
        unitAmount: string;
        /** Charged once if the tier is reached. */
        flatAmount?: string;
      }[];
      /** `graduated`: each unit has the price of its tier. `volume`: all units have the price of the tier that they reach, with only its `flatAmount`. `package`: units are sold in packages of `packageSize`, and `unitAmount` is the price of a package. */
      tierMode?: "graduated" | "volume" | "package";
      packageSize?: number;
    }
  > | null;
  rollover?: Record<
    string,
    {
      /** The most units that are carried over from one period. */
      maximum: number;
      /** After how many periods they expire. */
      periods?: number;
    }
  > | null;
  features?: Record<string, true | number | string> | null;
  description?: string | null;
  isPublic?: boolean | null;
  position?: number | null;
}

/** One page of a list, in the order of creation. */
export type SubscriptionList = Page<Subscription>;

/** Gives a customer the limits of its plans in each period. */
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
  /** The state of its invoices, if a plan has a price. */
  payment?: {
    state: "not_required" | "pending" | "paid" | "failed";
    since: string;
    /** From then on the status reads `unpaid`. */
    blocksOn?: string;
  };
  /** When it will be canceled, at the end of a period. */
  cancelsOn?: string;
  /** The plans from the end of the period on. */
  planChange?: { planExternalIds: string[]; on: string };
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
  /** The `subject` of usage events; a gateway uses the consumer's name. */
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

/** A new subscription. */
export interface CreatedSubscription extends Subscription {
  /** What may be wrong with its customer. */
  warnings?: string[];
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
  /** With a change of plans: the share of the new maximum for the rest of this period. */
  prorate?: number;
  metadata?: Record<string, unknown> | null;
  trialEndDate?: string | null;
}

/** CloudEvents 1.0: one, or an array. `subject` is a customerKey, `data` is `{<meter>: number > 0}`. `id` and `source` identify an event, which is counted once. */
export type UsageEvents = unknown[] | Record<string, unknown>;

export interface IngestedEvents {
  /** The number of stored and counted events. */
  accepted: number;
  /** The number of events with a known id and source, which are not counted again. */
  duplicates: number;
  rejected: { index: number; detail: string }[];
}

export interface Usage {
  periodStart: string;
  periodEnd: string;
  /** By meter. `available` is never below 0; `used` may exceed `max`. */
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
      credits?: number;
    }
  >;
}

export interface PlanChange {
  planExternalIds: string[];
  /** With a change of plans: the share of the new maximum for the rest of this period. */
  prorate?: number;
}

/** The effect of a change of plans on this and later periods. Nothing is changed. */
export interface PlanChangePreview {
  periodStart: string;
  periodEnd: string;
  /** This period before the change. */
  before: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
      credits?: number;
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
      /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
      credits?: number;
    }
  >;
  /** The maximums of each period from the next one on. */
  next: Record<string, { label?: string; max: number }>;
}

export interface UsageHistory {
  data: Usage[];
}

/** The usage of a subscription over time. The points of a period add up to its usage. */
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
      /** The maximum in the last period of the range. */
      max: number;
      /** The expected usage at the end of the period, if it continues as in the last seventh of its length. Only for the current period. */
      forecast?: number;
      points: { time: string; used: number }[];
    }
  >;
}

/** One page of a list, in the order of creation. */
export interface UsageShareList {
  data: UsageShare[];
  limit: number;
  offset: number;
  total: number;
  /** When the order and the total were computed, in a bucket with many subscriptions. Missing if it was for this response. */
  rankedOn?: string;
}

export interface UsageShare {
  subscriptionId: string;
  customerKey: string;
  planIds: string[];
  status: "active" | "trialing";
  periodStart: string;
  periodEnd: string;
  /** The largest share of its meters. */
  share: number;
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** `used` of `max`; more than 1 if the usage exceeds the maximum. */
      share: number;
    }
  >;
}

export interface ConsumeQuota {
  meters: Record<string, number>;
}

export interface ConsumedQuota {
  allowed: boolean;
  /** Why nothing was taken, if a payment would help. */
  reason?: "credit_exhausted" | "spend_cap_reached" | "payment_required";
  /** By meter. `available` is never below 0; `used` may exceed `max`. */
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
      credits?: number;
    }
  >;
}

export interface SettleHold {
  /** What was used, more or less than was held. An omitted meter is 0. */
  meters: Record<string, number>;
}

export interface SettledHold {
  holdId: string;
  /** By meter. `available` is never below 0; `used` may exceed `max`. */
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      available: number;
      /** What grants of the customer allow beyond `max`. Only with grants of the meter. */
      credits?: number;
    }
  >;
  /** The end of the period that the hold was made in. */
  periodEnd: string;
}

/** The counters, compared with the events. Events that retention removed count as stored. */
export interface Reconciliation {
  agrees: boolean;
  meters: Record<
    string,
    {
      accepted: number;
      counted: { events: number; amount: number };
      stored: { events: number; amount: number };
    }
  >;
  differences: {
    subscriptionId: string;
    meter: string;
    periodStart: string;
    counted: { events: number; amount: number };
    stored: { events: number; amount: number };
  }[];
}

/** The seller that invoices name, and the terms of payment. */
export interface BillingProfile {
  legalName: string;
  address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
  taxId?: string;
  numberPrefix: string;
  termsDays: number;
  graceDays: number;
  taxRates?: { name: string; percentage: string; country?: string }[];
  taxBehavior: "exclusive" | "inclusive";
  bankDetails?: string;
  buyerAddress: "optional" | "required";
  mails?: BillingMails;
  createdOn: string;
  updatedOn: string;
}

/** The mail of metering buckets without a portal, whose own texts apply. */
export interface BillingMails {
  "plan-changed"?: PortalMailText;
  invoice?: PortalMailText;
  receipt?: PortalMailText;
  refund?: PortalMailText;
  "payment-failed"?: PortalMailText;
  "card-expires"?: PortalMailText;
  "access-ending"?: PortalMailText;
  "access-ended"?: PortalMailText;
  "access-restored"?: PortalMailText;
  spending?: PortalMailText;
  "top-up-failed"?: PortalMailText;
  "top-up-action"?: PortalMailText;
}

export interface PortalMailText {
  /** Whether it is sent. */
  isEnabled?: boolean;
  /** `{subject}` stands for the usual subject, such as `Acme: {subject}`. */
  subject?: string;
  /** A line at the beginning. */
  greeting?: string;
}

export interface BillingProfileInput {
  legalName: string;
  address: {
    line1: string;
    line2?: string;
    postalCode?: string;
    city?: string;
    state?: string;
    /** Two letters of ISO 3166, such as DE. */
    country: string;
  };
  taxId?: string;
  /** Begins the number of each invoice. */
  numberPrefix: string;
  /** The days from an invoice to its due date. */
  termsDays?: number;
  /** The days from a failed payment to the end of access. */
  graceDays?: number;
  /** A rate with a `country` applies to customers in that country, one without applies to all customers. */
  taxRates?: {
    name: string;
    percentage: string;
    /** Two letters of ISO 3166, such as DE. */
    country?: string;
  }[];
  /** Whether prices of plans and usage are without tax (`exclusive`), or include it (`inclusive`). New invoices have it. A customer without tax pays an inclusive price without its tax. */
  taxBehavior?: "exclusive" | "inclusive";
  /** How to pay by bank transfer, in lines of text. In the mail of each invoice. */
  bankDetails?: string;
  /** Whether customers of portals must enter a name and an address before they pay the first time. */
  buyerAddress?: "optional" | "required";
  mails?: BillingMails;
}

export interface BillingMailPreviewCreate {
  kind:
    | "plan-changed"
    | "invoice"
    | "receipt"
    | "refund"
    | "payment-failed"
    | "card-expires"
    | "access-ending"
    | "access-ended"
    | "access-restored"
    | "spending"
    | "top-up-failed"
    | "top-up-action";
  subject?: string;
  greeting?: string;
}

/** A mail with invented data. */
export interface PortalMailPreview {
  subject: string;
  text: string;
  html: string;
}

/** How invoices are paid: `manual` by marking them as paid, `sandbox` without money, for tests, `stripe` by Stripe. */
export interface PaymentProvider {
  mode: "live" | "test";
  type: "manual" | "sandbox" | "stripe";
  /** The address of the webhook endpoint to add in Stripe. */
  webhookUrl: string;
  updatedOn?: string;
}

export interface PaymentProviderInput {
  type: "manual" | "sandbox" | "stripe";
  /** A secret or restricted key of Stripe. It is not returned; without it, the stored one stays. */
  secretKey?: string;
  /** Signs Stripe's events. It is not returned; without it, the stored one stays. */
  webhookSecret?: string;
}

export interface StripeEventReceived {
  received: true;
}

/** The invoices that are not the same here and at the payment provider. */
export interface PaymentComparison {
  /** Invoices since then were compared. */
  since: string;
  /** Whether there were more than 10,000 invoices, here or at Stripe. Then `since` is later than requested: only newer invoices were compared. */
  isTruncated: boolean;
  /** The number of invoices of ours that were compared, at most 10,000. */
  compared: number;
  differences: {
    /** `missing`: Stripe does not have it. `unknown`: we do not have it. `twice`: Stripe has several. `status`, `amount`: they differ. `refund`: another amount was refunded, which is that of both sides here. `failing`: it could not be sent to Stripe yet, see `detail`. `used`: the payment of a credit pack was refunded or disputed at Stripe after a part of the credit was used, see `detail`. */
    kind: "missing" | "unknown" | "twice" | "status" | "amount" | "refund" | "failing" | "used";
    invoiceId?: string;
    bucketId?: string;
    number?: string;
    stripeId?: string;
    ours?: {
      status: string;
      /** In the minor units of the provider. */
      amount: number;
    };
    stripe?: {
      status: string;
      /** In the minor units of the provider. */
      amount: number;
    };
    detail?: string;
  }[];
}

/** One page of a list, in the order of creation. */
export type CustomerList = Page<Customer>;

/** Who pays for the subscriptions of a customerKey. */
export interface Customer {
  customerKey: string;
  email?: string;
  legalName?: string;
  address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
  taxIds?: string[];
  /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
  taxStatus?: "taxable" | "reverse-charge" | "exempt";
  currency?: string;
  /** The customer's cap of the cost of overage in a period. */
  spendCap?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  };
  /** All of them, if there are caps in several currencies. `spendCap` is the first. */
  spendCaps?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  }[];
  /** The operator's cap. The lower one applies. */
  creditLimit?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  };
  /** All of them, if there are caps in several currencies. `creditLimit` is the first. */
  creditLimits?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  }[];
  /** Buys a credit pack when the available credit is low. */
  topUp?: {
    packExternalId: string;
    below: number | string;
    maximumPerMonth: string;
    isEnabled: boolean;
    /** When and why the server turned it off. */
    stopped?: { on: string; reason: "payment_failed" | "refunded" | "account_deleted" | "maximum_too_low" };
  };
  paymentMethod?:
    | { type: "sandbox"; behavior: "succeeds" | "fails" | "needs-action" }
    | {
        type: "stripe";
        /** Such as `card` or `sepa_debit`. */
        kind: string;
        brand?: string;
        last4?: string;
        /** The last month in which a card is valid, such as `2027-03`. */
        expires?: string;
      };
  /** The sums of the customer's money grants, which pay overage and the next invoices. */
  balances?: { currency: string; amount: string }[];
  /** The sums of the customer's open invoices. Absent if nothing is due. */
  amountDue?: { currency: string; amount: string }[];
  /** In a metering bucket with a `keyBucket`: its consumer, which may have been deleted. */
  consumerId?: string;
  /** Of a single customer: consumers of several key buckets that are this customer. */
  warnings?: string[];
  createdOn: string;
  updatedOn: string;
}

export interface CustomerUpdate {
  email?: string | null;
  legalName?: string | null;
  address?: {
    line1?: string;
    line2?: string;
    postalCode?: string;
    city?: string;
    state?: string;
    /** Two letters of ISO 3166, such as DE. */
    country: string;
  } | null;
  taxIds?: string[] | null;
  taxStatus?: "taxable" | "reverse-charge" | "exempt" | null;
  currency?: string | null;
  spendCap?: {
    amount: string;
    action: "block" | "notify";
    /** By default that of the customer at that moment. */
    currency?: string;
  } | null;
  spendCaps?:
    | {
        amount: string;
        action: "block" | "notify";
        /** A currency of ISO 4217, such as EUR. */
        currency: string;
      }[]
    | null;
  creditLimit?: {
    amount: string;
    action: "block" | "notify";
    /** By default that of the customer at that moment. */
    currency?: string;
  } | null;
  creditLimits?:
    | {
        amount: string;
        action: "block" | "notify";
        /** A currency of ISO 4217, such as EUR. */
        currency: string;
      }[]
    | null;
  topUp?: {
    packExternalId: string;
    /** In the unit of the pack's grant, and less than it. */
    below: number | string;
    /** Money with tax, in the currency of the pack's price, in a calendar month of UTC. If it is enabled, at least what the pack costs with tax. */
    maximumPerMonth: string;
    /** Becomes false when a payment fails, and when the pack costs more than the maximum because taxes have risen. */
    isEnabled: boolean;
  } | null;
}

/** A payment method of the sandbox: its payments succeed, fail, or need a second step. */
export interface PaymentMethodInput {
  type: "sandbox";
  behavior: "succeeds" | "fails" | "needs-action";
}

/** One page of a list, in the order of creation. */
export type GrantList = Page<Grant>;

/** Credits of a customer: units of a meter, or money. */
export interface Grant {
  id: string;
  customerKey: string;
  meter?: string;
  currency?: string;
  amount: number | string;
  /** What is left, with the usage so far. */
  balance: number | string;
  /** `prepaid`: bought as a credit pack. Its money reduces an invoice before tax, like promotional money. */
  funding: "promotional" | "prepaid" | "paid";
  priority: number;
  status: "scheduled" | "active" | "depleted" | "expired" | "voided";
  effectiveOn: string;
  expiresOn?: string;
  voidedOn?: string;
  reason?: string;
  /** The invoice that it is the rest of. */
  invoiceId?: string;
  /** The purchase of the credit pack that it comes from. */
  purchaseId?: string;
  /** Why it cannot be used: no plan of the bucket has the meter. */
  warning?: string;
  createdOn: string;
  updatedOn: string;
}

export interface GrantInput {
  /** Units of this meter, used after the maximum of the plan. */
  meter?: string;
  /** Money in this currency, instead of a meter. */
  currency?: string;
  /** A number of the meter's units, or a decimal of the currency as text. */
  amount: number | string;
  /** Promotional money reduces an invoice before tax, paid money pays it after tax. */
  funding: "promotional" | "paid";
  /** Lower ones are used first, then the first to expire, then the oldest. */
  priority?: number;
  /** Now by default. */
  effectiveOn?: string;
  expiresOn?: string;
  reason?: string;
}

/** One page of a list, in the order of creation. */
export type GrantEntryList = Page<GrantEntry>;

/** An entry of a grant's ledger. It never changes. */
export interface GrantEntry {
  id: string;
  /** `refunded`: returned to the customer. `restored`: that refund failed. `adjusted`: units that were carried over, after usage of their period arrived late or was taken back. */
  kind: "granted" | "consumed" | "expired" | "voided" | "refunded" | "restored" | "adjusted";
  /** Negative if the balance fell. */
  amount: number | string;
  /** After the entry. */
  balance: number | string;
  /** The hour of the usage. */
  hour?: string;
  subscriptionId?: string;
  meter?: string;
  invoiceId?: string;
  createdOn: string;
}

/** One page of a list, in the order of creation. */
export type CreditEntryList = Page<CreditEntry>;

/** An entry of the ledger of one of a customer's grants. It never changes. */
export interface CreditEntry {
  id: string;
  /** `refunded`: returned to the customer. `restored`: that refund failed. `adjusted`: units that were carried over, after usage of their period arrived late or was taken back. */
  kind: "granted" | "consumed" | "expired" | "voided" | "refunded" | "restored" | "adjusted";
  /** Negative if the balance fell. */
  amount: number | string;
  /** After the entry. */
  balance: number | string;
  /** The hour of the usage. */
  hour?: string;
  subscriptionId?: string;
  /** The meter of the units, or of the usage that money paid. */
  meter?: string;
  invoiceId?: string;
  createdOn: string;
  grantId: string;
  funding: "promotional" | "prepaid" | "paid";
  /** Of money. Without it, amounts are units of `meter`. */
  currency?: string;
  /** Of the grant. */
  reason?: string;
}

export interface EventVoid {
  /** The `source` of the event. */
  source: string;
  /** The `id` of the event. */
  id: string;
  /** Why it is taken back, for the audit log. */
  reason: string;
}

export interface VoidedEvent {
  source: string;
  id: string;
  customerKey: string;
  voidedOn: string;
}

/** One page of a list, in the order of creation. */
export type CreditPackList = Page<CreditPack>;

/** Credit that is sold for a price: units of a meter, or money. */
export interface CreditPack {
  id: string;
  packExternalId: string;
  label: string;
  price: { currency: string; amount: string };
  grant: { meter?: string; currency?: string; amount: number | string; expiresInDays?: number };
  isPublic: boolean;
  position: number;
  /** Why it cannot be used: no plan of the bucket has the meter. */
  warning?: string;
  createdOn: string;
  updatedOn: string;
}

export interface CreditPackCreate {
  /** Unique in the bucket. */
  packExternalId: string;
  label: string;
  /** Without tax. It cannot be changed. */
  price: {
    /** A currency of ISO 4217, such as EUR. */
    currency: string;
    amount: string;
  };
  /** What the customer gets. It cannot be changed. */
  grant: {
    /** Units of this meter, used after the maximum of the plan. */
    meter?: string;
    /** Money in this currency, instead of a meter. */
    currency?: string;
    /** A number of the meter's units, or a decimal of the currency as text. */
    amount: number | string;
    /** Days after the payment. Without it, the credit does not expire. */
    expiresInDays?: number;
  };
  /** Whether customers see it in the portal. */
  isPublic?: boolean;
  /** Lower ones are listed first. */
  position?: number;
}

export interface CreditPackUpdate {
  label?: string;
  /** Whether customers see it in the portal. */
  isPublic?: boolean;
  /** Lower ones are listed first. */
  position?: number;
}

/** One page of a list, in the order of creation. */
export type PackPurchaseList = Page<PackPurchase>;

/** The sale of a credit pack to a customer. */
export interface PackPurchase {
  id: string;
  customerKey: string;
  packExternalId: string;
  label: string;
  /** Whether the automatic top-up of the customer started it. */
  isTopUp: boolean;
  /** `failed`: of a top-up that was not paid. `canceled`: of another purchase that was not paid in time. */
  state: "open" | "paid" | "failed" | "canceled";
  /** The customer has to confirm the payment. */
  needsAction?: boolean;
  /** The page on which the customer confirms the payment. Not for readers, who could pay and change the payment method there. */
  url?: string;
  price: { currency: string; amount: string };
  /** The price with tax. */
  total: { currency: string; amount: string };
  grant: { meter?: string; currency?: string; amount: number | string; expiresInDays?: number };
  invoiceId: string;
  /** Set when it is paid. */
  grantId?: string;
  paidOn?: string;
  /** Until when an open purchase can be paid. */
  expiresOn?: string;
  /** What is returned of the total. */
  refunded?: string;
  /** What `$refund` would return now, with tax. Missing if there is nothing to return. */
  refundable?: string;
  /** When the payment was refunded or disputed at the provider, which voids what is left. */
  reversedOn?: string;
  createdOn: string;
  updatedOn: string;
}

export interface PackPurchaseCreate {
  packExternalId: string;
  /** Where the customer goes after the payment. */
  returnUrl: string;
}

export interface PurchasedPack {
  purchaseId: string;
  /** Where the customer pays, if that is still to do. */
  url?: string;
}

export interface PackRefund {
  /** With tax, in the currency of the price. */
  amount: string;
  state: "pending" | "succeeded" | "failed";
}

export interface PaymentPortalInput {
  /** Where the customer goes afterwards. */
  returnUrl: string;
}

export interface PaymentPortal {
  url: string;
}

/** One page of a list, in the order of creation. */
export type PaymentList = Page<Payment>;

/** Money that a customer paid for an invoice, or that was returned. */
export interface Payment {
  type: "payment" | "refund";
  customerKey: string;
  /** The invoice that was paid, or whose payment is returned. */
  invoiceId: string;
  /** Of a refund. */
  creditNoteId?: string;
  /** Of the invoice, or of the credit note of a refund. */
  number?: string;
  currency: string;
  /** Never negative. */
  amount: string;
  /** `pending`: a refund that is on its way. */
  state: "pending" | "succeeded";
  /** When it was paid, or when the refund was started. */
  paidOn: string;
  reference?: string;
}

/** One page of a list, in the order of creation. */
export type InvoiceList = Page<Invoice>;

/** What a customer owes. A finalized invoice never changes, but its payment does. */
export interface Invoice {
  id: string;
  /** Set when the invoice is finalized; numbers have no gaps. */
  number?: string;
  type: "invoice" | "credit-note";
  /** The invoice that a credit note corrects. */
  correctsId?: string;
  customerKey: string;
  subscriptionId?: string;
  /** The purchase of the credit pack that it sells. */
  purchaseId?: string;
  status: "draft" | "open" | "paid" | "uncollectible" | "void";
  currency: string;
  seller?: {
    legalName: string;
    address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
    taxId?: string;
  };
  buyer?: {
    customerKey: string;
    email?: string;
    legalName?: string;
    address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
    taxIds?: string[];
    /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
    taxStatus?: "taxable" | "reverse-charge" | "exempt";
  };
  /** Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`). */
  taxBehavior: "exclusive" | "inclusive";
  /** Why the customer pays no tax: reverse charge or an exemption. */
  taxNote?: string;
  lines: {
    kind: "plan" | "overage" | "proration" | "credit" | "tax" | "manual" | "pack";
    planId?: string;
    meter?: string;
    description?: string;
    /** Of a credit from promotional or prepaid grants, which reduces the invoice before tax. */
    funding?: "promotional" | "prepaid";
    quantity: number;
    unitAmount?: string;
    amount: string;
    /** Of a tax: the amounts of the other lines include it, so that it does not add to the total. */
    isIncluded?: true;
    periodStart: string;
    periodEnd: string;
    /** The line whose amount it credits, counted from 0. */
    credits?: { invoiceId: string; line: number };
  }[];
  /** Without tax. */
  subtotal: string;
  tax: string;
  total: string;
  amountDue: string;
  /** Overage beyond a cap, which is not billed. */
  writtenOff?: string;
  /** What paid grants pay of the total. */
  fromCredits?: string;
  /** The sum of its credit notes. */
  credited?: string;
  /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
  netted?: string;
  /** The part of its credit notes that is returned to the payment method. */
  refunded?: string;
  /** Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's credits instead. */
  refund?: { amount: string; state: "pending" | "succeeded" | "failed" };
  /** When a draft is finalized. */
  finalizesOn?: string;
  finalizedOn?: string;
  dueOn?: string;
  /** When a payment failed, or the due date passed without one. */
  failedOn?: string;
  paidOn?: string;
  reference?: string;
  /** How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the customer, at `url`. `error`: an operator has to look at it, see the comparison. */
  collection?: {
    state: "pending" | "needs_action" | "failed" | "paid" | "void" | "error";
    /** The provider's page of the invoice, where the customer pays. */
    url?: string;
  };
  createdOn: string;
  updatedOn: string;
}

/** What was invoiced in each month, by currency and plan, without taxes. */
export interface Revenue {
  from: string;
  to: string;
  data: {
    month: string;
    currency: string;
    /** Missing for lines without a plan. */
    planId?: string;
    fees: string;
    overage: string;
    credits: string;
    total: string;
  }[];
}

/** The fees of a month at the end of each month, yearly ones divided by twelve, and why they changed. */
export interface RecurringRevenue {
  from: string;
  to: string;
  months: {
    month: string;
    currency: string;
    /** What the month before ended with. It and the changes add up to `end`. */
    start: string;
    /** Of customers who paid no fees in the month before. */
    new: string;
    /** What customers pay more. */
    expansion: string;
    /** What customers pay less: negative. */
    contraction: string;
    /** Of customers who pay no fees any more: negative. */
    churn: string;
    end: string;
    /** The number of customers who pay fees at the end. */
    customers: number;
  }[];
  plans: { month: string; currency: string; planId: string; amount: string }[];
  /** Those who pay most in the last month: at most 10 of each currency. */
  topCustomers: { customerKey: string; currency: string; amount: string }[];
  /** Open invoices now that were not paid by their due date. */
  overdue: { currency: string; amount: string; invoices: number }[];
  /** Open invoices now whose payment failed before their due date. */
  failed: { currency: string; amount: string; invoices: number }[];
}

export interface InvoicePayment {
  paidOn?: string;
  reference?: string;
}

export interface InvoiceCredit {
  lines: {
    description: string;
    /** With tax. */
    amount: string;
    /** The line of the invoice that it credits, counted from 0; by default all lines, by amount. */
    line?: number;
  }[];
  /** Where what was paid already goes: to the customer's credits (`balance`, the default), or back to the payment method, as far as it has paid the invoice. */
  to?: "balance" | "payment-method";
  /** Of a refund outside of Tollgate, such as a bank transfer. */
  reference?: string;
}

export interface SimulationInput {
  /** The periods that began then or later. */
  from: string;
  /** The periods that ended by then; at most 400 days after `from`. */
  to: string;
  /** By their `planExternalId`. */
  plans: Record<
    string,
    {
      /** The fee for each billing period, charged in advance. */
      price?: {
        /** A currency of ISO 4217, such as EUR. */
        currency: string;
        /** A decimal as text, with at most 12 decimals. */
        amount: string;
        interval: "month" | "year";
      };
      rates?: Record<
        string,
        {
          /** What happens to usage beyond the plan's maximum. `bill`: it is allowed and billed. `prepaid`: it is allowed as far as money grants cover its price, and `block` in a trial. `block`: it is rejected. */
          overage: "block" | "bill" | "prepaid";
          /** Required for `bill` and `prepaid`. Tiers count units beyond the plan's maximum. */
          tiers?: {
            /** The last unit of the tier, counted beyond the plan's maximum. Null for the last tier. */
            upTo: number | null;
            /** A decimal as text, with at most 12 decimals. */
            unitAmount: string;
            /** Charged once if the tier is reached. */
            flatAmount?: string;
          }[];
          /** `graduated`: each unit has the price of its tier. `volume`: all units have the price of the tier that they reach, with only its `flatAmount`. `package`: units are sold in packages of `packageSize`, and `unitAmount` is the price of a package. */
          tierMode?: "graduated" | "volume" | "package";
          packageSize?: number;
        }
      > | null;
      /** The maximum of each meter in a period. Names are 1 to 64 characters of A-Z, a-z, 0-9, _, . and -. */
      meters?: Record<string, { label?: string; max: number }>;
      rollover?: Record<
        string,
        {
          /** The most units that are carried over from one period. */
          maximum: number;
          /** After how many periods they expire. */
          periods?: number;
        }
      > | null;
      features?: Record<string, true | number | string> | null;
    }
  >;
  /** Puts the subscribers of a plan onto another, which may exist in `plans` alone. */
  moves?: { from: string; to: string }[];
  /** Their keys; all customers of these plans if it is left out. */
  customers?: string[];
}

export interface SimulationStarted {
  id: string;
  jobId: string;
}

/** One page of a list, in the order of creation. */
export type SimulationList = Page<Simulation>;

/** What customers would have been billed with other plans. */
export interface Simulation {
  id: string;
  jobId: string;
  state: "queued" | "running" | "succeeded" | "failed" | "canceled";
  /** The number of customers that are computed. */
  done: number;
  total: number;
  from: string;
  to: string;
  /** The plans of the request. */
  plans: Record<
    string,
    {
      price?: { currency: string; amount: string; interval: "month" | "year" };
      rates?: Record<
        string,
        {
          overage: "block" | "bill" | "prepaid";
          tiers?: { upTo: number | null; unitAmount: string; flatAmount?: string }[];
          tierMode?: "graduated" | "volume" | "package";
          packageSize?: number;
        }
      > | null;
      meters?: Record<string, { label?: string; max: number }>;
      rollover?: Record<string, { maximum: number; periods: number }> | null;
      features?: Record<string, boolean | number | string> | null;
    }
  >;
  moves?: { from: string; to: string }[];
  customers?: string[];
  createdOn: string;
  /** Present when it has succeeded. */
  result?: {
    /** What the customers were billed for these periods, whenever they were billed. */
    before: {
      currency: string;
      fees: string;
      /** Without what caps and prepaid rates write off. */
      usage: string;
      /** What grants paid before tax, and what was returned of fees; negative. */
      credits: string;
      tax: string;
      total: string;
    }[];
    /** What they would have been billed. */
    after: {
      currency: string;
      fees: string;
      /** Without what caps and prepaid rates write off. */
      usage: string;
      /** What grants paid before tax, and what was returned of fees; negative. */
      credits: string;
      tax: string;
      total: string;
    }[];
    /** How many would have paid more, less and the same. */
    customers: { more: number; less: number; same: number };
    /** Ten ranges of the difference for each currency, with the number of customers in each. */
    distribution: { currency: string; from: string; to: string; customers: number }[];
    /** How many customers would have reached a maximum that blocks, how many a cap, and when the first of them. */
    meters: Record<string, { reached: number; capped: number; firstOn: string }>;
    /** Deleted subscriptions, whose usage is deleted with them. */
    missing: { subscriptions: number; invoiced: { currency: string; amount: string }[] };
  };
}

/** One page of a list, in the order of creation. */
export type SimulatedCustomerList = Page<SimulatedCustomer>;

export interface SimulatedCustomer {
  customerKey: string;
  currency: string;
  before: string;
  after: string;
  difference: string;
  /** How precisely the time of usage is known, where amounts depend on it: `hour` or `day` without stored events. `day` also where money was returned to grants, which cannot be computed exactly with other plans. */
  precision: "exact" | "hour" | "day";
  /** When a maximum or a cap would have been reached first. */
  limitedOn?: string;
  /** Present if what was invoiced differs, such as by a credit note. `before` is the latter. */
  differs?: { invoiced: string; computed: string };
}

/** One page of a list, in the order of creation. */
export type TestMailList = Page<TestMail>;

/** A mail of a test bucket, which was not sent. */
export interface TestMail {
  id: string;
  /** `welcome`, `account-deleted`, `plan-changed`, `invoice`, `receipt`, `refund`, `payment-failed`, `card-expires`, `access-ending`, `access-ended`, `access-restored`, `spending`, `top-up-failed` or `top-up-action`. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  createdOn: string;
}

/** The next invoice of a subscription, if nothing more is used. */
export type UpcomingInvoice = Omit<Invoice, "id" | "createdOn" | "updatedOn">;

export interface SubscriptionChange {
  planExternalIds: string[];
  /** By default `now` if the total fee rises, otherwise `period-end`. */
  timing?: "now" | "period-end";
}

/** What a change of plans would do. */
export interface SubscriptionChangePreview {
  timing: "now" | "period-end";
  on: string;
  /** The invoice of the change, if it has one. */
  invoice?: UpcomingInvoice;
  /** The credit notes of the change, for fees that the invoice does not credit. */
  creditNotes?: UpcomingInvoice[];
  subscription: Subscription;
}

export interface SubscriptionCancel {
  timing?: "now" | "period-end";
  /** Credits the unused rest of the fees; only with `now`. */
  refund?: boolean;
}

export interface ClockMove {
  now: string;
}

export interface SubscriptionPurchase {
  customerKey: string;
  planExternalIds: string[];
  /** Where the customer goes after the payment. */
  returnUrl: string;
}

export interface PurchasedSubscription {
  subscriptionId: string;
  /** Where the customer pays, if something is to be paid there. */
  url?: string;
}

/** What a customer has to do at the sandbox to pay what is due. */
export interface Checkout {
  /** What the customer has to do. */
  step: "method" | "confirmation";
  failure?: "declined" | "not-confirmed";
  due: { number?: string; currency: string; amountDue: string }[];
}

export interface CheckoutForm {
  method?: "succeeds" | "fails" | "needs-action";
  confirm?: "yes" | "no";
}

export interface SourceUploadCreate {
  accountName: string;
  /** Part of the host name of the project's deployments. */
  projectName: string;
  /** The branch in `productionBranch` of `tollgate.json`, by default `main`, is production. Every other branch is a preview. */
  branchName: string;
  /** With `false` the version is built and gets no traffic, so that a canary release can give it a share. The first version of a deployment always gets it. */
  activate?: boolean;
  /** Describes the version, such as the subject of a commit. */
  note?: string;
  /** The number of the version that the project was changed from. The request and the upload fail with 409 `conflict` if another one is live or a build has begun. */
  basedOn?: number;
}

export interface SourceUpload {
  /** The URL for a PUT of a gzip tar of the project: once, within an hour, without a token. It contains the status id. */
  uploadUrl: string;
}

export interface SourceReceived {
  status: string;
  statusId: string;
}

/** The progress of an upload to live traffic. */
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

/** Empty until there is a result. */
export interface BuildResult {
  success?: boolean;
  durationMs?: number;
  artifact?: { sha256: string; bytes: number };
  /** The number of the version that was built. */
  version?: number;
  routes?: number;
  /** The tools of routes with the handler `mcp`, with their sizes; tokens are estimated. */
  tools?: { path: string; name: string; bytes: number; tokens: number }[];
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

/** A branch of a project with its own host name. */
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
  /** The result of the last build. If it failed, the previous version keeps serving. */
  message: "" | "BUILD_FAILED" | "START_FAILED";
  branchName: string;
  /** The number of the version that serves; absent if none does. */
  activeVersion?: number;
  environmentType: "PRODUCTION" | "PREVIEW";
}

/** One page of a list, in the order of creation. */
export type AccountDeploymentList = Page<Deployment>;

export interface Redeployed {
  status: "request enqueued";
  statusId: string;
}

export interface DeploymentPromotion {
  /** Another deployment of the same project. */
  from: string;
}

/** One page of a list, in the order of creation. */
export type DeploymentVersionList = Page<DeploymentVersion>;

/** The immutable result of a build, to which a rollback is possible. */
export interface DeploymentVersion {
  id: string;
  number: number;
  createdOn: string;
  artifact: { sha256: string; bytes: number };
  routes: number;
  isActive: boolean;
  /** The id of the build that created it. */
  statusId: string;
  /** The actor that deployed it. */
  author: { type: "token" | "person" | "manager" | "client" | "operator" | "system"; id: string; name?: string };
  /** The note of the deployment. */
  note?: string;
}

/** A version with its contents. A secret of the project is shown as its name in braces after a dollar sign. */
export interface DeploymentVersionContents extends DeploymentVersion {
  contents: {
    /** The OpenAPI document as it was uploaded, with the files that it refers to in `x-tollgate-files`. Null if it was not stored. */
    document: { file: string; text: string } | null;
    routes: {
      method: string;
      /** An OpenAPI path template. */
      path: string;
      operationId?: string;
      /** Names, in the order in which they handle a request. */
      policies: string[];
      target:
        | {
            /** The first target, if there are several. */
            upstream: string;
            /** All targets of an upstream with options. */
            targets?: string[];
            /** Only in the contents of a version: the index in `upstreams` of the options of this upstream. */
            balanced?: number;
          }
        | {
            handler: string;
            /** The tools of the handler `mcp`. */
            mcp?: {
              mode: "tools" | "search";
              title?: string;
              instructions?: string;
              tools: {
                /** The operationId of the operation. */
                name: string;
                title?: string;
                description?: string;
                method: string;
                path: string;
                /** The size of the tool in `tools/list`. */
                bytes: number;
                /** An estimate of the tokens that a model reads for it. */
                tokens: number;
              }[];
            };
          }
        | { policy: string };
      timeoutSeconds: number;
      /** The schemas of parameters and bodies, if a policy validates them. */
      validation?: unknown;
    }[];
    /** Upstreams with options, as in the project; defaults are filled in. */
    upstreams?: unknown[];
    /** By name, with their options; defaults are filled in. Without `mode` they enforce. */
    policies: Record<string, { type: string; mode?: "observe"; options: unknown }>;
    /** The plain variables at the time of the build. */
    environment: Record<string, string>;
    /** The project's modules, bundled; null if it has none. */
    code: string | null;
  };
}

export interface Rollback {
  /** By default the previous version. */
  version?: number;
}

/** The routes of a version. */
export interface DeployedRoutes {
  /** The version that has these routes. */
  version: number;
  /** With `example=true`: a request that works as it is once a key is added. Absent if no route accepts a key. */
  example?: {
    method: string;
    /** Path and query, with the examples of required parameters. */
    target: string;
    keyHeader: string;
    /** The text before the key in the header. */
    keyPrefix: string;
    /** The other required headers. */
    headers?: { name: string; value: string }[];
    body?: string;
  };
  data: {
    method: string;
    /** An OpenAPI path template. */
    path: string;
    operationId?: string;
    /** In the order in which they handle a request. */
    policies: {
      name: string;
      type: string;
      /** Present if it rejects no request. */
      mode?: "observe";
    }[];
    target:
      | {
          /** The first target, if there are several. */
          upstream: string;
          /** All targets of an upstream with options. */
          targets?: string[];
          /** Only in the contents of a version: the index in `upstreams` of the options of this upstream. */
          balanced?: number;
        }
      | {
          handler: string;
          /** The tools of the handler `mcp`. */
          mcp?: {
            mode: "tools" | "search";
            title?: string;
            instructions?: string;
            tools: {
              /** The operationId of the operation. */
              name: string;
              title?: string;
              description?: string;
              method: string;
              path: string;
              /** The size of the tool in `tools/list`. */
              bytes: number;
              /** An estimate of the tokens that a model reads for it. */
              tokens: number;
            }[];
          };
        }
      | { policy: string };
    timeoutSeconds: number;
    /** With `tools=true`: the operation as a tool for agents. */
    tool?:
      | {
          bytes: number;
          /** An estimate of what a model reads for it. */
          tokens: number;
        }
      | {
          /** Why the operation cannot be a tool. */
          problem: string;
        };
  }[];
}

/** How the live version of a deployment differs from that of another one. */
export interface DeploymentChanges {
  /** The version that serves, or the one that was given. */
  version: number;
  /** What it is compared with. Absent if there is no such version, and then nothing is listed. */
  with?: { deploymentName: string; version: number };
  routes: {
    method: string;
    path: string;
    change: "added" | "removed" | "changed";
    /** What has changed, in sentences. Values are not shown. */
    details: string[];
  }[];
  policies: {
    name: string;
    change: "added" | "removed" | "changed";
    /** What has changed, in sentences. Values are not shown. */
    details: string[];
  }[];
  /** Changes of the OpenAPI document that can break clients; at most 200. */
  breaking: { method: string; path: string; detail: string }[];
}

/** The upstreams of the live version and of a canary, with the health of their targets as this node sees it. */
export interface DeployedUpstreams {
  /** The live version. */
  version: number;
  data: {
    /** The version that has this upstream: the live one or, in a canary release, the canary. */
    version: number;
    targets: {
      /** A secret in it is shown as its name in braces after a dollar sign. */
      url: string;
      weight: number;
      /** `unhealthy`: health checks fail. `ejected`: requests failed. `unchecked`: the upstream has neither health checks nor ejection, or the version does not run on this node. */
      state: "up" | "unhealthy" | "ejected" | "unchecked";
      /** When a request may try the target again. */
      ejectedUntil?: string;
      /** The number of consecutive failed requests. */
      consecutiveErrors: number;
      /** The number of requests in progress. */
      inFlight: number;
      lastCheck?: { time: string; passed: boolean; status?: number; error?: string };
    }[];
    balance: "round-robin" | "least-requests" | "hash";
    hashBy?: string;
    hasHealthChecks: boolean;
    hasEjection: boolean;
    hasRetries: boolean;
    /** Whether it has its own CA, client certificate or server name. */
    usesOwnTls: boolean;
    maxConnections?: number;
    /** The number of routes that use it. */
    routes: number;
  }[];
}

/** The versions that serve a deployment, with counts and latencies. */
export interface Traffic {
  /** Null if no version is live. */
  liveVersionNumber: number | null;
  /** The versions that serve, the live one first. */
  splits: {
    versionNumber: number;
    weight: number;
    /** The share of the requests, from 0 to 1. */
    share: number;
    isLive: boolean;
    /** Only during a canary release. */
    counts?: CanaryCounts;
    /** The counts of the last 60 seconds, which decide about an abort. */
    lastMinute?: {
      requests: number;
      /** The number of requests with a 5xx response or a failed attempt. */
      errors: number;
      errorShare: number;
    };
  }[];
  /** Keeps the requests of one client on one version: by a hash of the presented credential (or the address, if there is none), or by the address. By default each request is assigned separately. */
  stickyBy?: "credential" | "ip";
  abort?: CanaryAbort;
  /** When the canary release began. */
  startedOn?: string;
  /** Null during a canary release, and before the first one. */
  lastCanary: LastCanary | null;
}

/** The requests of a version since the canary release began, on all nodes. */
export interface CanaryCounts {
  requests: number;
  /** The number of requests with a 5xx response or a failed attempt. */
  errors: number;
  errorShare: number;
  latencyMs: { p50: number; p95: number; p99: number } | null;
}

/** When all traffic returns to the live version, based on the canary's requests of the last 60 seconds. A request failed if its response is 5xx or an attempt to reach the upstream failed. */
export interface CanaryAbort {
  /** The share of failed requests at which the canary is aborted. */
  errorShare: number;
  /** The minimum number of the canary's requests in 60 seconds for an abort. */
  minimumRequests: number;
}

/** How the last canary release ended. */
export interface LastCanary {
  versionNumber: number;
  /** The version that was live during the release. */
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
  splits: { versionNumber: number; weight: number }[];
  /** Keeps the requests of one client on one version: by a hash of the presented credential (or the address, if there is none), or by the address. By default each request is assigned separately. */
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
  /** The request uses this key without its value: policies that authenticate by keys of its bucket accept it without a header. Its use is recorded in the audit log. */
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
  /** In the order of the response, without cookies. */
  headers: { name: string; value: string }[];
  body: string;
  /** `base64` if the body is not text. */
  bodyEncoding: "utf-8" | "base64";
  /** Whether the body was truncated after 1 MiB or 30 seconds. */
  isTruncated: boolean;
  /** The time until the first byte of the response. */
  durationMs: number;
  /** The `x-request-id` of the request, by which its record is found. */
  requestId: string;
}

/** One page of a list, in the order of creation. */
export type DomainList = Page<Domain>;

/** A host of the account that a deployment serves. */
export interface Domain {
  id: string;
  host: string;
  /** Serves all paths. If there are `mounts`, the deployment of the mount at `/`, or of the first one: the CNAME record points to its host. */
  deploymentName: string;
  /** The deployments by path, if there are several. */
  mounts?: Mount[];
  /** `pending`: the TXT record was not found yet, and requests are not routed. `active`: they are. `failing`: the TXT record is gone; requests are routed for seven more days. */
  status: "pending" | "active" | "failing";
  /** The records to set: the TXT record proves that the host belongs to the account, the CNAME record routes requests to the server. If a CNAME record is not possible, use address records with the same addresses. */
  dns: {
    type: "TXT" | "CNAME";
    name: string;
    value: string;
    /** Whether the last check found the record. */
    isSeen: boolean;
  }[];
  /** Null if the server has none for the host. */
  certificate: { expiresOn: string; issuer: string } | null;
  /** The problem or the next step. */
  message?: string;
  /** When a pending claim is removed. */
  expiresOn?: string;
  /** The time of the last lookup. */
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
export type OAuthClientList = Page<OAuthClient>;

export interface OAuthClient {
  id: string;
  /** The `client_id`: the id, or the URL of the client's metadata document. */
  clientId: string;
  /** `registered`: created by you or a customer. `service`: of a customer, with a secret, for requests without a person. `document`: known by its metadata document. `dynamic`: registered itself. */
  type: "registered" | "service" | "document" | "dynamic";
  name: string;
  redirectUris: string[];
  createdOn: string;
  updatedOn: string;
  /** The customer who created it. Only this customer can authorize it. */
  consumerName?: string;
}

export interface OAuthClientInput {
  /** The name of the program, which customers see. */
  name: string;
  /** Where the browser returns to. https, or http with 127.0.0.1, [::1] or localhost. Compared exactly, except the port of a loopback address. */
  redirectUris: string[];
}

export interface OAuthClientPatch {
  /** The name of the program, which customers see. */
  name?: string;
  /** Where the browser returns to. https, or http with 127.0.0.1, [::1] or localhost. Compared exactly, except the port of a loopback address. */
  redirectUris?: string[];
}

/** One page of a list, in the order of creation. */
export type AuthorizationList = Page<Authorization>;

export interface Authorization {
  id: string;
  client: {
    id: string;
    clientId: string;
    name: string;
    type: "registered" | "service" | "document" | "dynamic";
    /** The host of its document, or of the redirect. */
    host?: string;
  };
  /** Who consented. */
  subject: string;
  permissions: string[];
  /** The deployment of its tokens. A service client has none: it chooses one for each token. */
  deployment?: string;
  createdOn: string;
  /** When its last refresh token was issued. */
  refreshedOn?: string;
  expiresOn: string | null;
  consumer: { id: string; name: string };
}

export interface OAuthKeyRotation {
  /** Access tokens that earlier keys signed are rejected at once. For a key that was stolen. */
  revokesTokens?: boolean;
}

export interface JsonWebKeySet {
  keys: { kty: string; kid: string }[];
}

/** One page of a list, in the order of creation. */
export type ListedPortalList = Page<ListedPortal>;

export interface ListedPortal {
  id: string;
  bucketName: string;
  title: string;
  isEnabled: boolean;
  /** The address of the portal. */
  url: string;
}

/** The site where the customers of a key bucket help themselves. */
export interface Portal {
  id: string;
  /** Whether the portal is served. */
  isEnabled: boolean;
  /** The host of a verified custom domain of the account, which the portal then serves instead of the domain's deployments. Without it, the host is derived from `TOLLGATE_PORTAL_URL`. */
  host?: string;
  /** The name of the API or the business. */
  title: string;
  /** What the API does, in one sentence. */
  description?: string;
  /** A PNG, JPEG or WebP image of at most 256 KiB, as a data URL: `data:image/png;base64,…`. */
  logo?: string;
  /** The colour of buttons and links. It is adjusted where its contrast would be too low. */
  accentColor?: string;
  /** The deployments whose addresses and requests customers see. */
  deployments: string[];
  /** `closed`: customers cannot create an account. `domains`: people with an address of `allowedDomains` can. `approval`: people request access, and you approve. `open`: everybody can. */
  signUp: "closed" | "domains" | "approval" | "open";
  /** The domains of addresses that may sign up, if `signUp` is `domains`. */
  allowedDomains?: string[];
  /** The `planExternalId` of the plan that new customers are subscribed to, in `meteringBucket`. */
  signUpPlan?: string;
  /** The `planExternalId` of the plan that is marked as recommended, in `meteringBucket`. */
  recommendedPlan?: string;
  /** The `planExternalId` of each plan that customers can choose, in order. Without it, the public plans of `meteringBucket`, by `position`. */
  plans?: string[];
  /** The id or name of the metering bucket whose subscriptions customers see. */
  meteringBucket?: string;
  /** How many keys a customer may have. Expired keys do not count. */
  keyLimit: number;
  /** The origins of your own site that a `returnUrl` may lead to. */
  returnOrigins?: string[];
  /** A link to your terms, in the footer. */
  termsUrl?: string;
  /** Whether everyone may read the reference and the guides, or only signed-in customers. */
  isReferencePublic: boolean;
  /** Programs get access for a customer by OAuth instead of a key. Off if it is left out. */
  oauth?: {
    /** While it is false, no token is issued, and none is accepted. */
    isEnabled: boolean;
    /** `closed`: only clients that you or your customers create. `metadata`: also clients whose `client_id` is the URL of a metadata document. `open`: also clients that register themselves (RFC 7591). */
    registration: "closed" | "metadata" | "open";
    /** How long an access token is valid. */
    accessTokenMinutes: number;
    /** How long an authorization lasts. Then the customer must consent again. */
    refreshDays: number;
  };
  mails?: PortalMails;
  /** Links on the start page and in the footer, such as a guide or a status page. */
  links?: { label: string; url: string }[];
  /** The OpenID Connect provider that customers sign in with. A manager's `sub` is then the provider's. Redirect address: `<url>/sign-in/provider/callback`. */
  oidc?: {
    /** Compared exactly with what the provider names in its discovery document and its tokens. */
    issuer: string;
    clientId: string;
  };
  /** The address of the portal. */
  url: string;
  /** What is missing before customers can buy the plans with a price. */
  warnings?: string[];
  createdOn: string;
  updatedOn: string;
}

/** The mail to customers, by kind: its texts, and whether it is sent. */
export interface PortalMails extends BillingMails {
  welcome?: PortalMailText;
  "account-deleted"?: PortalMailText;
}

export interface PortalUpdate {
  /** Whether the portal is served. */
  isEnabled?: boolean;
  /** The host of a verified custom domain of the account, which the portal then serves instead of the domain's deployments. Without it, the host is derived from `TOLLGATE_PORTAL_URL`. */
  host?: string;
  /** The name of the API or the business. */
  title: string;
  /** What the API does, in one sentence. */
  description?: string;
  /** A PNG, JPEG or WebP image of at most 256 KiB, as a data URL: `data:image/png;base64,…`. */
  logo?: string;
  /** The colour of buttons and links. It is adjusted where its contrast would be too low. */
  accentColor?: string;
  /** The deployments whose addresses and requests customers see. */
  deployments?: string[];
  /** `closed`: customers cannot create an account. `domains`: people with an address of `allowedDomains` can. `approval`: people request access, and you approve. `open`: everybody can. */
  signUp?: "closed" | "domains" | "approval" | "open";
  /** The domains of addresses that may sign up, if `signUp` is `domains`. */
  allowedDomains?: string[];
  /** The `planExternalId` of the plan that new customers are subscribed to, in `meteringBucket`. */
  signUpPlan?: string;
  /** The `planExternalId` of the plan that is marked as recommended, in `meteringBucket`. */
  recommendedPlan?: string;
  /** The `planExternalId` of each plan that customers can choose, in order. Without it, the public plans of `meteringBucket`, by `position`. */
  plans?: string[];
  /** The id or name of the metering bucket whose subscriptions customers see. */
  meteringBucket?: string;
  /** How many keys a customer may have. Expired keys do not count. */
  keyLimit?: number;
  /** The origins of your own site that a `returnUrl` may lead to. */
  returnOrigins?: string[];
  /** A link to your terms, in the footer. */
  termsUrl?: string;
  /** Whether everyone may read the reference and the guides, or only signed-in customers. */
  isReferencePublic?: boolean;
  /** Programs get access for a customer by OAuth instead of a key. Off if it is left out. */
  oauth?: {
    /** While it is false, no token is issued, and none is accepted. */
    isEnabled?: boolean;
    /** `closed`: only clients that you or your customers create. `metadata`: also clients whose `client_id` is the URL of a metadata document. `open`: also clients that register themselves (RFC 7591). */
    registration?: "closed" | "metadata" | "open";
    /** How long an access token is valid. */
    accessTokenMinutes?: number;
    /** How long an authorization lasts. Then the customer must consent again. */
    refreshDays?: number;
  };
  mails?: PortalMails;
  /** Links on the start page and in the footer, such as a guide or a status page. */
  links?: { label: string; url: string }[];
  /** The OpenID Connect provider that customers sign in with. A manager's `sub` is then the provider's. Redirect address: `<url>/sign-in/provider/callback`. */
  oidc?: {
    /** Compared exactly with what the provider names in its discovery document and its tokens. */
    issuer: string;
    clientId: string;
    /** Never returned. If left out, it stays as it is, as long as `issuer` and `clientId` stay. */
    clientSecret?: string;
  };
}

export interface PortalSessionCreate {
  /** The customer: a consumer of the bucket. */
  consumerName: string;
  /** Who is signed in at your site. The audit log shows it as the actor. */
  subject: string;
  /** What the session may do: never more than your token. */
  scopes: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
  /** Where the portal leads back to. Within `returnOrigins`. */
  returnUrl?: string;
}

/** An address that opens a session in the portal. */
export interface PortalHandoff {
  /** Open it in the customer's browser. It works once. */
  url: string;
  /** After two minutes. */
  expiresOn: string;
}

export interface PortalView {
  /** The customer: a consumer of the bucket. */
  consumerName: string;
}

/** The settings that are visible on the pages of a portal. */
export interface PortalPreviewCreate {
  /** The name of the API or the business. */
  title: string;
  /** What the API does, in one sentence. */
  description?: string;
  /** The colour of buttons and links. It is adjusted where its contrast would be too low. */
  accentColor?: string;
  /** The deployments whose addresses and requests customers see. */
  deployments?: string[];
  /** `closed`: customers cannot create an account. `domains`: people with an address of `allowedDomains` can. `approval`: people request access, and you approve. `open`: everybody can. */
  signUp?: "closed" | "domains" | "approval" | "open";
  /** The `planExternalId` of each plan that customers can choose, in order. Without it, the public plans of `meteringBucket`, by `position`. */
  plans?: string[];
  /** The id or name of the metering bucket whose subscriptions customers see. */
  meteringBucket?: string;
  /** A link to your terms, in the footer. */
  termsUrl?: string;
  /** Whether everyone may read the reference and the guides, or only signed-in customers. */
  isReferencePublic?: boolean;
  /** Programs get access for a customer by OAuth instead of a key. Off if it is left out. */
  oauth?: {
    /** While it is false, no token is issued, and none is accepted. */
    isEnabled?: boolean;
    /** `closed`: only clients that you or your customers create. `metadata`: also clients whose `client_id` is the URL of a metadata document. `open`: also clients that register themselves (RFC 7591). */
    registration?: "closed" | "metadata" | "open";
    /** How long an access token is valid. */
    accessTokenMinutes?: number;
    /** How long an authorization lasts. Then the customer must consent again. */
    refreshDays?: number;
  };
  /** Links on the start page and in the footer, such as a guide or a status page. */
  links?: { label: string; url: string }[];
  /** The issuer of the OpenID Connect provider. */
  issuer?: string;
}

/** What the pages of a portal with some settings begin with. */
export interface PortalPreview {
  site: PortalSite;
  /** The pages that a new customer sees, beside the start page. */
  pages: (
    | "docs"
    | "keys"
    | "programs"
    | "agents"
    | "usage"
    | "requests"
    | "plans"
    | "credit"
    | "invoices"
    | "people"
  )[];
  /** The plans, as a new customer sees them. */
  plans: {
    /** The plans that the customer can choose. */
    data: {
      planExternalId: string;
      label: string;
      meters: Record<string, { label?: string; max: number }>;
      trialDays?: number;
      isTrialCollectPayment?: boolean;
      price?: { currency: string; amount: string; interval: "month" | "year" };
      rates?: Record<
        string,
        {
          overage: "block" | "bill" | "prepaid";
          tiers?: { upTo: number | null; unitAmount: string; flatAmount?: string }[];
          tierMode?: "graduated" | "volume" | "package";
          packageSize?: number;
        }
      >;
      rollover?: Record<string, { maximum: number; periods: number }>;
      features?: Record<string, boolean | number | string>;
      description?: string;
      isCurrent: boolean;
      isRecommended?: true;
      /** False for a plan that the customer would have to buy as long as the business cannot sell plans yet. */
      isAvailable: boolean;
    }[];
    /** Whether the customer enters a payment method, or pays invoices. */
    paysOnline: boolean;
    /** Whether prices include tax, or tax is added. Absent if there is none. */
    taxBehavior?: "exclusive" | "inclusive";
  };
  /** A style sheet with the accent colours of both themes. Empty without one. */
  style: string;
  /** The icon of a portal without a logo, as SVG. */
  icon: string;
}

/** What everyone may know of the portal. */
export interface PortalSite {
  title: string;
  description?: string;
  /** Whether `/portal/logo` is an image. */
  hasLogo: boolean;
  links: { label: string; url: string }[];
  signIn: {
    /** Whether people sign in by mail. */
    mail: boolean;
    /** The host of the identity provider, if there is one. */
    provider?: string;
  };
  signUp: "closed" | "domains" | "approval" | "open";
  termsUrl?: string;
  /** Whether the documentation needs no session. */
  isReferencePublic: boolean;
  /** The pages that need no session and have something to show. */
  pages: (
    | "docs"
    | "keys"
    | "programs"
    | "agents"
    | "usage"
    | "requests"
    | "plans"
    | "credit"
    | "invoices"
    | "people"
  )[];
  /** Empty unless the documentation needs no session. */
  apis: {
    title: string;
    description?: string;
    url: string;
    /** The path of its documentation. */
    page?: string;
    example?: ExampleRequest;
  }[];
  /** Public plans, and all that customers can choose if everyone can sign up. */
  plans: PortalOffer[];
}

/** A request that a key may send as it is. */
export interface ExampleRequest {
  method: string;
  url: string;
  keyHeader: string;
  /** The text before the key in the header. */
  keyPrefix: string;
  /** The other required headers. */
  headers?: { name: string; value: string }[];
  body?: string;
}

/** A plan that customers can choose. */
export interface PortalOffer {
  planExternalId: string;
  label: string;
  meters: Record<string, { label?: string; max: number }>;
  trialDays?: number;
  isTrialCollectPayment?: boolean;
  price?: { currency: string; amount: string; interval: "month" | "year" };
  rates?: Record<
    string,
    {
      overage: "block" | "bill" | "prepaid";
      tiers?: { upTo: number | null; unitAmount: string; flatAmount?: string }[];
      tierMode?: "graduated" | "volume" | "package";
      packageSize?: number;
    }
  >;
  rollover?: Record<string, { maximum: number; periods: number }>;
  features?: Record<string, boolean | number | string>;
  description?: string;
  isRecommended?: true;
  /** False for a plan that the customer would have to buy as long as the business cannot sell plans yet. */
  isAvailable: boolean;
}

export interface PortalMailPreviewCreate {
  kind:
    | "welcome"
    | "account-deleted"
    | "plan-changed"
    | "invoice"
    | "receipt"
    | "refund"
    | "payment-failed"
    | "card-expires"
    | "access-ending"
    | "access-ended"
    | "access-restored"
    | "spending"
    | "top-up-failed"
    | "top-up-action";
  subject?: string;
  greeting?: string;
}

/** How far the customers who signed up have come. */
export interface PortalFunnel {
  /** Customers who signed up and still exist. */
  signedUp: number;
  /** Of these, those with a key. */
  createdKey: number;
  /** Those whose requests succeeded at least once. */
  succeeded: number;
  /** Those with a successful request in the last 30 days. */
  active: number;
  /** Those whose last successful request is older. */
  stopped: number;
  /** At most 100, the newest first. */
  data: {
    consumerName: string;
    email: string;
    /** The name that they entered. */
    name?: string;
    stage: "signed-up" | "key-created" | "active" | "stopped";
    signedUpOn: string;
    /** When the oldest key that exists was created. */
    firstKeyOn?: string;
    /** The day of the first successful request. */
    firstSuccessOn?: string;
    lastSuccessOn?: string;
  }[];
}

/** One page of a list, in the order of creation. */
export type AccessRequestList = Page<AccessRequest>;

/** A person asks for access to a portal. */
export interface AccessRequest {
  id: string;
  email: string;
  /** The company or the person, as they wrote it. */
  name?: string;
  /** What they wrote to you. */
  note?: string;
  state: "pending" | "approved" | "denied";
  /** The consumer that the approval created. */
  consumerName?: string;
  createdOn: string;
  updatedOn: string;
}

export interface AccessRequestCreate {
  email: string;
  name?: string;
  note?: string;
}

/** One page of a list, in the order of creation. */
export type VariableList = Page<Variable>;

/** A value that gateway projects refer to as `${NAME}` and code reads as `context.environment.NAME`. */
export interface Variable {
  name: string;
  isSecret: boolean;
  environments: string[];
  /** Absent for a secret. */
  value?: string;
  createdOn: string;
  updatedOn: string;
}

export interface VariableSet {
  /** At most 32,768 characters; of a secret at least 8, not all of them whitespace. */
  value: string;
  /** A secret is encrypted at rest, never shown again, and redacted from logs. */
  isSecret?: boolean;
  /** The environments in which it is set. By default all, and for a secret only `production`. */
  environments?: string[];
}

export interface RequestFeed {
  /** Newest first. */
  data: Request[];
  /** The number of requests that exceeded the recorded rate, in the minutes that the list covers. */
  omitted: { successes: number; failures: number };
}

/** A request to a deployment. */
export interface Request {
  /** The Tollgate id. Clients can choose `x-request-id`, but not this one. */
  id: string;
  time: string;
  deployment: string;
  /** The number of the version; null if it was removed. */
  version: number | null;
  requestId: string;
  traceId?: string;
  method: string;
  /** Without the query; at most 1,024 characters. */
  path: string;
  route?: string;
  /** 499 if the client disconnected before the response. */
  status: number;
  durationMs: number;
  ip?: string;
  consumer?: string;
  consumerId?: string;
  /** The key, or the authorization of an OAuth client. */
  keyId?: string;
  /** The OAuth client that acted for the consumer. */
  client?: string;
  /** The problem code, if the gateway itself rejected the request. */
  code?: string;
  detail?: string;
  /** The underlying error, which the client did not get. */
  error?: string;
  /** The policies of the route, in order. */
  decisions: Decision[];
  /** The rejections of policies in `observe`, by which the request was not rejected. */
  observed?: {
    /** The name of the policy in the project. */
    policy: string;
    detail?: DecisionDetail;
    code: string;
  }[];
  target?: RequestTarget;
  model?: RequestModel;
  mcp?: RequestMessage;
  parent?: RequestParent;
  /** Of a single request that a quota rejected: what may be wrong with the customer. */
  warnings?: string[];
}

export interface Decision {
  /** The name of the policy in the project. */
  policy: string;
  type: string;
  ms: number;
  /** `observed`: a policy in `observe` would have rejected the request, which went on. */
  outcome: "passed" | "rejected" | "observed" | "answered" | "skipped";
  /** Of an observed decision: the code of the rejection. */
  code?: string;
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
  /** The permission that the route requires. */
  permission?: string;
  /** The permissions of the key. */
  permissions?: string[];
  meter?: string;
  /** The amount that the request takes from the meter. */
  amount?: number;
  used?: number;
  limit?: number;
  plans?: string[];
  subscriptionId?: string;
  bucket?: string;
  /** The consumer's key bucket, if only consumers of another one are customers. */
  keyBucket?: string;
  /** The `keyBucket` of the metering bucket. */
  customersKeyBucket?: string;
  by?: string;
  windowSeconds?: number;
  /** Present for a rate limit with a sliding window. */
  window?: "sliding";
  resetsOn?: string;
  /** The entry of `deny` that contains the address. */
  network?: string;
  /** The counted amount of each meter. */
  amounts?: Record<string, number>;
  /** Meters without an amount in the response. */
  missing?: string[];
  /** The amounts that were held until the end of the request. */
  held?: Record<string, number>;
  /** The invalid claim of the token. */
  claim?: string;
  errors?: { pointer: string; detail: string }[];
  message?: string;
  status?: number;
}

export interface RequestTarget {
  kind: "upstream" | "handler";
  /** Without credentials and query. */
  url?: string;
  module?: string;
  /** The time from the last policy to the head of the response. */
  ms: number;
  attempts: number;
}

/** What a request to a model has used. Tokens are counted in one category. */
export interface RequestModel {
  alias: string;
  /** The name of the provider in the project. */
  provider: string;
  /** The model that the response names, or else the one that was requested. */
  model: string;
  /** Tokens of input, without those that are cached or written to a cache. */
  input: number;
  cached: number;
  cacheWrite: number;
  /** Tokens of output, including reasoning. */
  output: number;
  /** Whether the provider reported all of the tokens. */
  basis: "reported" | "estimated";
  /** What the provider charges, a decimal in `currency`. */
  cost: string;
  currency?: string;
  /** What meters with the count `cost` have counted. */
  charge?: string;
  /** What was served and has no price. */
  unpriced?: string;
  /** The time to the first byte of the response's body. */
  firstByteMs?: number;
  /** The `x-request-id` of the provider. */
  providerRequestId?: string;
}

/** A message of an agent to a route with the handler `mcp`. */
export interface RequestMessage {
  /** Such as `tools/call`. */
  method: string;
  tool?: string;
  /** The agent's client, as it names itself. */
  client?: string;
  /** The code of the JSON-RPC error that the agent got. */
  error?: number;
}

/** The message of an agent that called the operation as a tool. */
export interface RequestParent {
  /** The `requestId` of the message. */
  requestId: string;
  tool: string;
  /** The agent's client, as it names itself. */
  client?: string;
}

export interface DeploymentLog {
  data: DeploymentLogLine[];
}

/** A request (`access`), console output of the code, or a message of a build. */
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
  actor: { type: "token" | "person" | "manager" | "client" | "operator" | "system"; id: string; name?: string };
  /** The changed resource and its parent, such as a key's consumer. */
  resource: { type: string; id: string; name?: string; parent?: { type: string; id: string; name?: string } };
  requestId?: string;
  ip?: string;
  /** The name of the assistant through which the actor did it, as the assistant reports it. */
  assistant?: string;
  /** The changes by JSON pointer into the resource as the API shows it; the empty pointer is the whole resource. A secret is shown as `changed`. */
  changes: { pointer: string; before?: unknown; after?: unknown }[];
  /** The number of resources of a bulk call, or of those that were deleted with the resource. */
  counts?: Record<string, number>;
  /** The time in the bucket, if it differs from `time`: in a test bucket that of its clock, for a billing step when it was due. */
  bucketTime?: string;
  /** Whether it is part of the hash chain, which happens within seconds. */
  isSealed: boolean;
  /** Its position in the account's chain. Entries that were committed together under load share one hash: `first` to `last`; the first of them has the `pack`. */
  seal?: {
    number: number;
    first: number;
    last: number;
    /** SHA-256 in hex. */
    previousHash: string;
    /** SHA-256 in hex. */
    hash: string;
    /** The content that the hash of several entries covers, in base64. */
    pack?: string;
  };
}

export interface AuditVerification {
  intact: boolean;
  /** The number of verified entries. */
  entries: number;
  /** The number of entries that are not sealed yet. */
  unsealed: number;
  from?: string;
  to?: string;
  /** The end of the chain, signed now. Store it elsewhere to detect a rewritten log. */
  head?: {
    account: string;
    count: number;
    /** SHA-256 in hex. */
    hash: string;
    time: string;
    /** The number of expired entries that were removed from the beginning, if any. */
    trimmed?: number;
    keyId: string;
    /** Ed25519, in base64url. docs/audit-log.md describes the signed text. */
    signature: string;
  };
  /** The first entry that differs from the sealed one. */
  firstBroken?: {
    number: number;
    /** The id of the entry, or of the first entry in a pack, if it is known. */
    id?: string;
    /** The id of the previous entry, if the entry is missing and its own id is unknown. */
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
    /** The value of the dimension. Null for all requests, and for requests without a consumer, key, client or tool. */
    key: string | null;
    /** Whether the series is the sum of all others. */
    isOther?: true;
    totals: {
      requests: number;
      /** The number of 4xx responses by the gateway or a policy on a route. */
      rejected: number;
      /** The number of 5xx responses by the gateway, a policy or the target. */
      errors: number;
      /** The number of requests that a policy in `observe` would have rejected. */
      observed: number;
      /** Time to the head of the response, within 5 %; null without requests. */
      p50Ms: number | null;
      p95Ms: number | null;
      p99Ms: number | null;
      /** The bytes of request bodies. */
      bytesIn: number;
      /** The bytes of response bodies. */
      bytesOut: number;
    };
    points: {
      time: string;
      requests: number;
      /** The number of 4xx responses by the gateway or a policy on a route. */
      rejected: number;
      /** The number of 5xx responses by the gateway, a policy or the target. */
      errors: number;
      /** The number of requests that a policy in `observe` would have rejected. */
      observed: number;
      /** Time to the head of the response, within 5 %; null without requests. */
      p50Ms: number | null;
      p95Ms: number | null;
      p99Ms: number | null;
      /** The bytes of request bodies. */
      bytesIn: number;
      /** The bytes of response bodies. */
      bytesOut: number;
    }[];
  }[];
}

export type VerificationResult =
  | "valid"
  | "malformed"
  | "not_found"
  | "expired"
  | "disabled"
  | "consumer_suspended"
  | "ip_required"
  | "ip_not_allowed"
  | "permission_missing"
  | "rate_limited"
  | "quota_exceeded"
  | "no_subscription"
  | "meter_not_in_plan"
  | "spend_cap_reached"
  | "credit_exhausted"
  | "payment_required";

/** Every call of verify-key, counted. The series add up to the total. */
export interface VerificationAnalytics {
  from: string;
  /** Not included. */
  to: string;
  step: "1m" | "1h" | "1d";
  series: {
    /** The value of `by`. Null without `by`, and for verifications of unknown keys. */
    key: string | null;
    /** Whether the series is the sum of all others. */
    isOther?: true;
    totals: {
      verifications: number;
      /** The number of verifications with a result other than `valid`. */
      rejected: number;
      /** The number of valid ones that would have been rejected without `observe`. */
      observed: number;
    };
    points: {
      time: string;
      verifications: number;
      /** The number of verifications with a result other than `valid`. */
      rejected: number;
      /** The number of valid ones that would have been rejected without `observe`. */
      observed: number;
    }[];
  }[];
}

/** Every request to a model, counted when its response has ended. The series add up to the total. */
export interface ModelAnalytics {
  from: string;
  /** Not included. */
  to: string;
  step: "1m" | "1h" | "1d";
  series: {
    /** The value of `by`. Null without `by`, and for requests without a consumer. */
    key: string | null;
    /** Whether the series is the sum of all others. */
    isOther?: true;
    totals: {
      requests: number;
      /** The number of 5xx responses. */
      errors: number;
      /** The number of requests whose tokens are estimated. */
      estimated: number;
      /** Tokens of input, without those that are cached or written to a cache. */
      input: number;
      cached: number;
      cacheWrite: number;
      /** Tokens of output, including reasoning. */
      output: number;
      /** Null without a cost, and if there are several. */
      currency: string | null;
      /** What the providers charge, a decimal. Null if there are several currencies. */
      cost: string | null;
      /** What meters with the count `cost` have counted. Null if there are several currencies. */
      charge: string | null;
      /** The charge without the cost. Null if there are several currencies. */
      margin: string | null;
      /** The mean time to the first byte of the response's body; null without one. */
      firstByteMs: number | null;
    };
    points: {
      time: string;
      requests: number;
      /** The number of 5xx responses. */
      errors: number;
      /** The number of requests whose tokens are estimated. */
      estimated: number;
      /** Tokens of input, without those that are cached or written to a cache. */
      input: number;
      cached: number;
      cacheWrite: number;
      /** Tokens of output, including reasoning. */
      output: number;
      /** Null without a cost, and if there are several. */
      currency: string | null;
      /** What the providers charge, a decimal. Null if there are several currencies. */
      cost: string | null;
      /** What meters with the count `cost` have counted. Null if there are several currencies. */
      charge: string | null;
      /** The charge without the cost. Null if there are several currencies. */
      margin: string | null;
      /** The mean time to the first byte of the response's body; null without one. */
      firstByteMs: number | null;
    }[];
  }[];
}

export interface SearchMatches {
  /** At most 20, best first. */
  data: {
    type:
      | "consumer"
      | "deployment"
      | "route"
      | "plan"
      | "subscription"
      | "invoice"
      | "key"
      | "domain"
      | "webhook"
      | "member"
      | "request";
    id: string;
    name: string;
    /** What people call a consumer or a plan, if that is not the name. */
    displayName?: string;
    /** The path of the resource in this API. */
    path: string;
    /** What tells it from others: a description, the customer of an invoice, a manager's address. */
    detail?: string;
  }[];
}

/** One page of a list, in the order of creation. */
export type WebhookList = Page<Webhook>;

/** A URL that receives events (Standard Webhooks 1.0). */
export interface Webhook {
  id: string;
  name?: string;
  url: string;
  events: string[];
  description?: string;
  isEnabled: boolean;
  /** Why the server disabled it: `gone` after a 410, `failing` after five days without success. */
  disabledReason?: "gone" | "failing";
  /** The first failed attempt since the last success. Not part of the ETag. */
  failingSince?: string;
  createdOn: string;
  updatedOn: string;
}

export interface WebhookCreate {
  /** 1 to 128 characters of a-z, 0-9, `_` and `-`. Unique; may stand wherever the id does. */
  name?: string;
  /** An http or https address, without user, password and fragment. Redirects are not followed. */
  url: string;
  /** Patterns of events to send: `*`, `<resource>.*`, or one of consumer.created, consumer.updated, consumer.deleted, key.created, key.updated, key.rolled, key.deleted, key.leaked, key.expiring, key.expired, authorization.created, authorization.ended, plan.created, plan.updated, plan.deleted, subscription.created, subscription.updated, subscription.deleted, subscription.trial_ending, subscription.renewed, quota.threshold, customer.updated, invoice.created, invoice.finalized, invoice.paid, invoice.payment_failed, invoice.voided, invoice.marked_uncollectible, credit-note.created, credit-note.refunded, credit-note.refund_failed, spend.threshold, usage.voided, grant.created, grant.consumed, grant.depleted, grant.expired, grant.voided, grant.refunded, grant.restored, grant.adjusted, pack-purchase.created, pack-purchase.paid, pack-purchase.failed, pack-purchase.canceled, pack-purchase.refunded, pack-purchase.reversed, deployment.succeeded, deployment.failed, deployment.rolled_back, deployment.canary_aborted, deployment.deleted, domain.activated, domain.failing, domain.released, domain.expired, domain.updated, domain.deleted, model.unpriced, export.failed, webhook.disabled. */
  events: string[];
  /** At most 1,000 characters. */
  description?: string;
  isEnabled?: boolean;
}

export interface WebhookWithSecret extends Webhook {
  /** Signs its messages. It is not shown again. */
  secret: string;
}

export interface WebhookUpdate {
  name?: string | null;
  /** An http or https address, without user, password and fragment. Redirects are not followed. */
  url?: string;
  /** Patterns of events to send: `*`, `<resource>.*`, or one of consumer.created, consumer.updated, consumer.deleted, key.created, key.updated, key.rolled, key.deleted, key.leaked, key.expiring, key.expired, authorization.created, authorization.ended, plan.created, plan.updated, plan.deleted, subscription.created, subscription.updated, subscription.deleted, subscription.trial_ending, subscription.renewed, quota.threshold, customer.updated, invoice.created, invoice.finalized, invoice.paid, invoice.payment_failed, invoice.voided, invoice.marked_uncollectible, credit-note.created, credit-note.refunded, credit-note.refund_failed, spend.threshold, usage.voided, grant.created, grant.consumed, grant.depleted, grant.expired, grant.voided, grant.refunded, grant.restored, grant.adjusted, pack-purchase.created, pack-purchase.paid, pack-purchase.failed, pack-purchase.canceled, pack-purchase.refunded, pack-purchase.reversed, deployment.succeeded, deployment.failed, deployment.rolled_back, deployment.canary_aborted, deployment.deleted, domain.activated, domain.failing, domain.released, domain.expired, domain.updated, domain.deleted, model.unpriced, export.failed, webhook.disabled. */
  events?: string[];
  description?: string | null;
  /** With false it gets no messages, and pending deliveries fail. With true it gets messages from now on. */
  isEnabled?: boolean;
}

export interface WebhookSecretRotation {
  /** How long messages are also signed with the old secret. */
  graceSeconds?: number;
}

/** The delivery of a message to a webhook. */
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
  /** With true, each has a new `webhook-id`, so that receivers do not skip it as a duplicate. */
  newIds?: boolean;
}

export interface WebhookReplayed {
  /** The number of queued deliveries. */
  deliveries: number;
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[];
}

export interface WebhookDeliveryDetail extends WebhookDelivery {
  request: { method: "POST"; url: string; headers: Record<string, string>; body: string };
  /** The newest 50, oldest first. */
  attemptLog: {
    number: number;
    startedOn: string;
    durationMs: number;
    /** Absent if there was no response. */
    status?: number;
    error?: string;
    /** The first 4 KiB of the response's body. */
    response?: string;
  }[];
}

/** One page of a list, in the order of creation. */
export type ViewList = Page<View>;

/** A named filter of a list in the console, for all users of the account. */
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

/** What the home page of the console shows besides analytics. */
export interface Overview {
  /** Whether no part is missing because it is still being computed, for a large account. */
  isComplete: boolean;
  firstSteps: {
    /** The name of the oldest consumer. */
    consumer?: string;
    /** Its key bucket. */
    keyBucket?: string;
    /** Of the oldest plan. */
    planExternalId?: string;
    hasSubscription: boolean;
    /** Whether a deployment serves. */
    hasDeployment: boolean;
    /** Whether a request ever succeeded or a key was verified as valid. */
    hasTraffic: boolean;
  };
  /** What else is there before customers pay. */
  goLive: {
    /** Whether there is a billing profile. */
    hasSeller: boolean;
    /** Whether a portal lets new customers in. */
    hasSignUp: boolean;
    /** Whether the server sends mail. */
    sendsMail: boolean;
    /** Whether a payment provider was chosen that moves money, or `manual`. */
    takesPayments: boolean;
    /** Whether a custom domain is verified. */
    hasDomain: boolean;
  };
  money: {
    /** Whether a plan has a price. */
    isSelling: boolean;
    /** The fees of a month, by currency: what all active subscriptions are billed for their plans, yearly fees divided by twelve. Without usage, credits, taxes and trials. Missing while it is being computed. */
    recurring?: {
      currency: string;
      /** With the decimals of the currency. */
      amount: string;
      subscriptions: number;
      /** At the end of each of the 11 months before this one. */
      trend: { month: string; amount: string }[];
    }[];
    /** Open invoices that were not paid by their due date. */
    overdue: {
      currency: string;
      /** With the decimals of the currency. */
      amount: string;
      invoices: number;
    }[];
    /** Open invoices whose payment failed before their due date. */
    failed: {
      currency: string;
      /** With the decimals of the currency. */
      amount: string;
      invoices: number;
    }[];
  };
  /** Missing while it is being computed. */
  limits?: {
    /** The number of subscriptions that have used at least 80 % of a quota. */
    total: number;
    /** The number of those that have used all of it, or more. */
    used: number;
    /** At most 8, the largest share first. */
    data: {
      /** The metering bucket. */
      bucketId: string;
      subscriptionId: string;
      customerKey: string;
      /** `used` of `max`; more than 1 if the usage exceeds the maximum. */
      share: number;
      /** The meter with the largest share. */
      meter: string;
      label?: string;
      used: number;
      max: number;
      /** Usage beyond the maximum is billed, instead of being rejected. */
      isBilled?: true;
    }[];
  };
  /** The key buckets that have such keys. Missing while it is being computed. */
  keys?: {
    bucketName: string;
    /** Enabled keys that will expire within 7 days. */
    expiring: number;
    /** Enabled keys that were not used for 90 days. */
    unused: number;
  }[];
  /** Webhooks that are failing or were disabled for it. */
  webhooks: { id: string; url: string; disabledReason?: "gone" | "failing" }[];
  /** At most 100, those that failed first. */
  deployments: {
    name: string;
    projectName: string;
    branchName: string;
    /** Empty if the last build and start succeeded. */
    message: "" | "BUILD_FAILED" | "START_FAILED";
  }[];
}

/** The retention in days. */
export interface Retention {
  /** Of recorded requests; 0 if none are recorded. */
  requestDays: number;
  auditLogDays: number;
  /** Of usage events. Counters stay. */
  usageEventDays: number;
}

/** The status of the server. */
export interface SystemStatus {
  version: string;
  /** When the responding node was started. */
  startedOn: string;
  /** The resident memory of its process, or of its primary and workers. */
  memoryBytes: number;
  storage: {
    engine: "sqlite" | "postgres";
    /** The size of the database, including indexes and reusable space. */
    bytes: number;
  };
  feed: {
    /** How current the caches are: `fresh` if every change is followed. */
    trust: "fresh" | "slow" | "behind" | "away" | "copied" | "lost";
    /** The age of the last read of other nodes' changes in milliseconds; 0 for an embedded server. */
    lagMs: number;
    /** How often the database was replaced by one with another history since the node was started: by a promoted standby, or a restored dump. */
    historyChanges: number;
    /** What was written in between may be lost. Times of the node's clock. */
    lastHistoryChange?: { followedUntil: string; on: string };
  };
  /** How far the clock of the responding node is ahead of that of PostgreSQL, which is used, in milliseconds; 0 for an embedded server. */
  clockLeadMs: number;
  /** The processes that use the database. */
  nodes: {
    id: string;
    host: string;
    connectedOn?: string;
    /** Whether it is the responding node. */
    isThis: boolean;
  }[];
  caches: {
    name: string;
    entries: number;
    /** Since the node was started. */
    hits: number;
    misses: number;
  }[];
  /** The partitions of usage events; null for an embedded server, which has none. */
  usageEvents: {
    /** The number of partitions. */
    partitions: number;
  } | null;
  /** The read replica, as the responding node sees it; null if none is configured. */
  replica: {
    /** Whether it serves analytics, exports and the request log. */
    isUsed: boolean;
    /** How old its data is at most in milliseconds; null if unknown. */
    lagMs: number | null;
    /** Why it is not used: the primary serves its reads. */
    error?: string;
  } | null;
  /** The last `tollgate backup`; null if there is none, and on PostgreSQL, which you back up yourself. */
  lastBackup: { time: string; bytes: number } | null;
}

export interface ConfigurationDump {
  configuration: Configuration;
  /** How many resources of a kind have no name, and are left out. */
  unnamed: Record<string, number>;
}

/** Resources of an account by kind and name. Kinds that are not mentioned are not touched. A field that is left out has its default. */
export interface Configuration {
  version: 1;
  billingProfile?: BillingProfileInput;
  /** How invoices are paid, and those of test buckets. Stripe is set with its keys first. */
  paymentProviders?: {
    live?: { type: "manual" | "sandbox" | "stripe" };
    test?: { type: "manual" | "sandbox" | "stripe" };
  };
  keyBuckets?: Record<
    string,
    {
      /** At most 1,000 characters. */
      description?: string;
      /** At most 50; names up to 128 characters, values text, number or boolean up to 256. */
      tags?: Record<string, string | number | boolean>;
      /** Whether key values can be read again later. Fixed after creation. */
      isRetrievable?: boolean;
      /** The prefix of generated keys. */
      keyPrefix?: string;
      /** What happens to a key that is reported as leaked: it is marked, or also disabled. */
      onLeak?: "mark" | "disable";
      /** The issuers whose tokens `jwt` policies may map to consumers of the bucket if a caller with a role in projects, or a token for some deployments, builds them. Other callers may map tokens of any issuer. */
      tokenIssuers?: {
        /** The `iss` of the tokens, exactly. */
        issuer: string;
        /** The claim that has the name of the consumer. */
        claim: string;
        /** Where the keys are, if the policies do not find them by discovery. */
        jwksUrl?: string;
      }[];
    }
  >;
  meteringBuckets?: Record<
    string,
    {
      /** The name of the key bucket whose consumers are its customers. Consumers of other key buckets have no subscription in it. Without it, consumers of all key buckets are matched by their name. */
      keyBucket?: string;
      /** Its time stands still until it is moved, and no money is collected. */
      isTest?: boolean;
    }
  >;
  /** Plans by metering bucket and planExternalId. */
  plans?: Record<string, Record<string, Omit<PlanCreate, "planExternalId">>>;
  /** Credit packs by metering bucket and packExternalId. Price and grant cannot be changed. */
  creditPacks?: Record<
    string,
    Record<
      string,
      {
        label: string;
        /** Without tax. It cannot be changed. */
        price: {
          /** A currency of ISO 4217, such as EUR. */
          currency: string;
          amount: string;
        };
        /** What the customer gets. It cannot be changed. */
        grant: {
          /** Units of this meter, used after the maximum of the plan. */
          meter?: string;
          /** Money in this currency, instead of a meter. */
          currency?: string;
          /** A number of the meter's units, or a decimal of the currency as text. */
          amount: number | string;
          /** Days after the payment. Without it, the credit does not expire. */
          expiresInDays?: number;
        };
        /** Whether customers see it in the portal. */
        isPublic?: boolean;
        /** Lower ones are listed first. */
        position?: number;
      }
    >
  >;
  webhooks?: Record<
    string,
    {
      /** An http or https address, without user, password and fragment. Redirects are not followed. */
      url: string;
      /** Patterns of events to send: `*`, `<resource>.*`, or one of consumer.created, consumer.updated, consumer.deleted, key.created, key.updated, key.rolled, key.deleted, key.leaked, key.expiring, key.expired, authorization.created, authorization.ended, plan.created, plan.updated, plan.deleted, subscription.created, subscription.updated, subscription.deleted, subscription.trial_ending, subscription.renewed, quota.threshold, customer.updated, invoice.created, invoice.finalized, invoice.paid, invoice.payment_failed, invoice.voided, invoice.marked_uncollectible, credit-note.created, credit-note.refunded, credit-note.refund_failed, spend.threshold, usage.voided, grant.created, grant.consumed, grant.depleted, grant.expired, grant.voided, grant.refunded, grant.restored, grant.adjusted, pack-purchase.created, pack-purchase.paid, pack-purchase.failed, pack-purchase.canceled, pack-purchase.refunded, pack-purchase.reversed, deployment.succeeded, deployment.failed, deployment.rolled_back, deployment.canary_aborted, deployment.deleted, domain.activated, domain.failing, domain.released, domain.expired, domain.updated, domain.deleted, model.unpriced, export.failed, webhook.disabled. */
      events: string[];
      /** At most 1,000 characters. */
      description?: string;
      isEnabled?: boolean;
    }
  >;
  /** Custom domains by host. */
  domains?: Record<
    string,
    {
      /** The deployment that serves all paths. */
      deploymentName?: string;
      /** Instead of `deploymentName`: deployments by path. */
      mounts?: Mount[];
    }
  >;
  /** Variables of gateway projects by project and name. */
  variables?: Record<
    string,
    Record<
      string,
      {
        /** The value of a plain variable. At most 32,768 characters. */
        value?: string;
        isSecret?: boolean;
        /** Where the value of a secret is: never in the file. */
        valueFrom?: {
          /** The environment variable of the caller that has the value. */
          env: string;
        };
        environments?: string[];
      }
    >
  >;
  /** Portals by key bucket. */
  portals?: Record<
    string,
    {
      /** Whether the portal is served. */
      isEnabled?: boolean;
      /** The host of a verified custom domain of the account, which the portal then serves instead of the domain's deployments. Without it, the host is derived from `TOLLGATE_PORTAL_URL`. */
      host?: string;
      /** The name of the API or the business. */
      title: string;
      /** What the API does, in one sentence. */
      description?: string;
      /** A PNG, JPEG or WebP image of at most 256 KiB, as a data URL: `data:image/png;base64,…`. */
      logo?: string;
      /** The colour of buttons and links. It is adjusted where its contrast would be too low. */
      accentColor?: string;
      /** The deployments whose addresses and requests customers see. */
      deployments?: string[];
      /** `closed`: customers cannot create an account. `domains`: people with an address of `allowedDomains` can. `approval`: people request access, and you approve. `open`: everybody can. */
      signUp?: "closed" | "domains" | "approval" | "open";
      /** The domains of addresses that may sign up, if `signUp` is `domains`. */
      allowedDomains?: string[];
      /** The `planExternalId` of the plan that new customers are subscribed to, in `meteringBucket`. */
      signUpPlan?: string;
      /** The `planExternalId` of the plan that is marked as recommended, in `meteringBucket`. */
      recommendedPlan?: string;
      /** The `planExternalId` of each plan that customers can choose, in order. Without it, the public plans of `meteringBucket`, by `position`. */
      plans?: string[];
      /** The id or name of the metering bucket whose subscriptions customers see. */
      meteringBucket?: string;
      /** How many keys a customer may have. Expired keys do not count. */
      keyLimit?: number;
      /** The origins of your own site that a `returnUrl` may lead to. */
      returnOrigins?: string[];
      /** A link to your terms, in the footer. */
      termsUrl?: string;
      /** Whether everyone may read the reference and the guides, or only signed-in customers. */
      isReferencePublic?: boolean;
      /** Programs get access for a customer by OAuth instead of a key. Off if it is left out. */
      oauth?: {
        /** While it is false, no token is issued, and none is accepted. */
        isEnabled?: boolean;
        /** `closed`: only clients that you or your customers create. `metadata`: also clients whose `client_id` is the URL of a metadata document. `open`: also clients that register themselves (RFC 7591). */
        registration?: "closed" | "metadata" | "open";
        /** How long an access token is valid. */
        accessTokenMinutes?: number;
        /** How long an authorization lasts. Then the customer must consent again. */
        refreshDays?: number;
      };
      mails?: PortalMails;
      /** Links on the start page and in the footer, such as a guide or a status page. */
      links?: { label: string; url: string }[];
      /** The identity provider. The value of its secret is never in the file. */
      oidc?: {
        /** Compared exactly with what the provider names in its discovery document and its tokens. */
        issuer: string;
        clientId: string;
        clientSecretFrom: {
          /** The environment variable of the caller that has the value. */
          env: string;
        };
      };
    }
  >;
  /** Exports by name. Destination, kinds and format cannot be changed. */
  exports?: Record<
    string,
    {
      to: {
        /** `s3://bucket/prefix`, or `file:` and an absolute path below `TOLLGATE_EXPORT_DIR` and the account's name. */
        url: string;
        /** Of a storage other than Amazon S3, such as `https://minio.acme.example`. */
        endpoint?: string;
        /** By default `us-east-1`. */
        region?: string;
        /** For `s3://`. The value of the secret is never in the file. */
        credential?: {
          accessKeyId: string;
          secretAccessKeyFrom: {
            /** The environment variable of the caller that has the value. */
            env: string;
          };
        };
      };
      kinds: ("events" | "requests" | "invoices" | "audit")[];
      format: "parquet" | "ndjson";
      /** With false nothing is written; afterwards, what was missed is. */
      isEnabled?: boolean;
    }
  >;
}

export interface ConfigurationPlanCreate {
  configuration: Configuration;
  /** Marks what the apply creates with this name. */
  as?: string;
  /** Also deletes what an apply with the same `as` created and the configuration no longer has. */
  prune?: boolean;
  /** Values of the environment variables that the configuration refers to. */
  secrets?: Record<string, string>;
}

/** The steps that make an account match a configuration. */
export interface ConfigurationPlan {
  planId: string;
  status: "planned" | "applied" | "expired";
  as?: string;
  prune: boolean;
  steps: ConfigurationStep[];
  createdOn: string;
  expiresOn: string;
  appliedOn?: string;
}

export interface ConfigurationStep {
  kind:
    | "billingProfile"
    | "paymentProviders"
    | "keyBuckets"
    | "meteringBuckets"
    | "plans"
    | "creditPacks"
    | "webhooks"
    | "domains"
    | "variables"
    | "portals"
    | "exports";
  /** The metering bucket of a plan or credit pack, or the project of a variable. */
  parent?: string;
  name: string;
  action: "create" | "update" | "delete";
  /** Left out for a new resource. */
  before?: Record<string, unknown>;
  /** Left out for a deleted resource. The value of a secret that changes is `changed`. */
  after?: Record<string, unknown>;
  notes?: string[];
  /** The subscriptions that get lower limits; at most 100 are listed. */
  affectedSubscriptions?: { total: number; data: { id: string; customerKey: string }[] };
}

export interface ConfigurationApply {
  planId: string;
}

/** What each operation takes and returns. */
export interface Operations {
  /** Read the account and role of the token */
  whoAmI: {
    params: object;
    query: {
      /** The account, for the operator. Other tokens use their own account. */
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
    params: { accountName: string };
    query: object;
    body: undefined;
    response: Account;
  };
  /** Delete an account with everything in it */
  deleteAccount: {
    params: { accountName: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List tokens */
  listTokens: {
    params: { accountName: string };
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
    params: { accountName: string };
    query: object;
    body: TokenCreate;
    response: CreatedToken;
  };
  /** Read a token */
  getToken: {
    params: { accountName: string; tokenId: string };
    query: object;
    body: undefined;
    response: Token;
  };
  /** Delete a token */
  deleteToken: {
    params: { accountName: string; tokenId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List exports */
  listExports: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: HourlyExportList;
  };
  /** Create an export */
  createExport: {
    params: { accountName: string };
    query: object;
    body: HourlyExportCreate;
    response: HourlyExport;
  };
  /** Read an export */
  getExport: {
    params: { accountName: string; exportName: string };
    query: object;
    body: undefined;
    response: HourlyExport;
  };
  /** Enable or disable an export, or change its credential */
  updateExport: {
    params: { accountName: string; exportName: string };
    query: object;
    body: HourlyExportUpdate;
    response: HourlyExport;
  };
  /** Delete an export */
  deleteExport: {
    params: { accountName: string; exportName: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Write earlier hours, or hours again */
  backfillExport: {
    params: { accountName: string; exportName: string };
    query: object;
    body: HourlyExportBackfill;
    response: HourlyExport;
  };
  /** List trusted issuers */
  listTrustedIssuers: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: TrustedIssuerList;
  };
  /** Trust an issuer */
  createTrustedIssuer: {
    params: { accountName: string };
    query: object;
    body: TrustedIssuerCreate;
    response: TrustedIssuer;
  };
  /** Read a trusted issuer */
  getTrustedIssuer: {
    params: { accountName: string; trustedIssuerId: string };
    query: object;
    body: undefined;
    response: TrustedIssuer;
  };
  /** Change a trusted issuer */
  updateTrustedIssuer: {
    params: { accountName: string; trustedIssuerId: string };
    query: object;
    body: TrustedIssuerUpdate;
    response: TrustedIssuer;
  };
  /** Stop trusting an issuer */
  deleteTrustedIssuer: {
    params: { accountName: string; trustedIssuerId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Exchange a token of a trusted issuer */
  exchangeToken: {
    params: object;
    query: object;
    body: undefined;
    response: ExchangedToken;
  };
  /** List the members of an account */
  listMembers: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: MemberList;
  };
  /** Invite a person */
  inviteMember: {
    params: { accountName: string };
    query: object;
    body: MemberInvite;
    response: InvitedMember;
  };
  /** Read a member */
  getMember: {
    params: { accountName: string; memberId: string };
    query: object;
    body: undefined;
    response: Member;
  };
  /** Change the role or the name of a member */
  updateMember: {
    params: { accountName: string; memberId: string };
    query: object;
    body: MemberUpdate;
    response: Member;
  };
  /** Remove a member */
  removeMember: {
    params: { accountName: string; memberId: string };
    query: object;
    body: undefined;
    response: RemovedMember;
  };
  /** Repeat an invitation */
  inviteMemberAgain: {
    params: { accountName: string; memberId: string };
    query: object;
    body: Record<string, never>;
    response: InvitedMember;
  };
  /** List the caller's invitations */
  listInvitations: {
    params: object;
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: OwnInvitations;
  };
  /** Accept an invitation as the signed-in person */
  acceptOwnInvitation: {
    params: { invitingAccount: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: OwnInvitation;
  };
  /** Decline an invitation as the signed-in person */
  declineInvitation: {
    params: { invitingAccount: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: undefined;
  };
  /** Read an invitation by its link */
  showInvitation: {
    params: object;
    query: object;
    body: InvitationAccept;
    response: Invitation;
  };
  /** List the mail of an account */
  listMails: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: MailList;
  };
  /** Sign in with a token */
  createSession: {
    params: object;
    query: object;
    body: SessionCreate;
    response: CreatedSession;
  };
  /** List the sessions of the caller */
  listSessions: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SessionList;
  };
  /** Accept an invitation and sign in */
  acceptInvitation: {
    params: object;
    query: object;
    body: InvitationAccept;
    response: CreatedSession;
  };
  /** List the sessions of an account */
  listAccountSessions: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: AccountSessionList;
  };
  /** End a session of an account */
  deleteAccountSession: {
    params: { accountName: string; sessionId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Sign out */
  deleteSession: {
    params: { sessionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Show how people can sign in */
  getSignInMethods: {
    params: object;
    query: object;
    body: undefined;
    response: SignInMethods;
  };
  /** Send a mail to sign in with */
  startSignIn: {
    params: object;
    query: object;
    body: SignInStart;
    response: StartedSignIn;
  };
  /** Sign in with the code of a mail */
  signInWithCode: {
    params: object;
    query: object;
    body: SignInCode;
    response: CreatedSession;
  };
  /** Sign in with the link of a mail */
  signInWithLink: {
    params: object;
    query: object;
    body: SignInLink;
    response: CreatedSession;
  };
  /** List key buckets */
  listKeyBuckets: {
    params: { accountName: string };
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
    params: { accountName: string };
    query: object;
    body: KeyBucketCreate;
    response: KeyBucket;
  };
  /** Read a key bucket */
  getKeyBucket: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: undefined;
    response: KeyBucket;
  };
  /** Change a key bucket */
  updateKeyBucket: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: KeyBucketUpdate;
    response: KeyBucket;
  };
  /** Delete a key bucket */
  deleteKeyBucket: {
    params: { accountName: string; bucketName: string };
    query: {
      /** Also delete the consumers and keys in it. */
      force?: boolean;
    };
    body: undefined;
    response: undefined;
  };
  /** List consumers */
  listConsumers: {
    params: { accountName: string; bucketName: string };
    query: {
      /** Include the consumer's keys. */
      "include-api-keys"?: boolean;
      /** Include the consumer's managers. */
      "include-managers"?: boolean;
      /** Include the pending invites. */
      "include-manager-invites"?: boolean;
      /** How key values are shown: not at all, completely, or only their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** Only consumers whose name has this prefix. */
      q?: string;
      /** Only consumers with a manager or an invite of this email address, case-insensitive. */
      "manager-email"?: string;
      /** Only consumers with these names: up to 100, separated by commas. Not with other filters. */
      names?: string;
      /** `lastUsedOn`: by the last use of any of their keys, the latest first, and then those that were never used. Times are compared to 6 hours, and exactly within a page. Not with filters; `offset` is at most 10000. */
      sort?: "lastUsedOn";
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
    params: { accountName: string; bucketName: string };
    query: {
      /** Create a key together with the consumer. */
      "with-api-key"?: boolean;
      /** Hand the customer of a deleted consumer of this name over to the new one: subscriptions, credit, payment method and invoices. */
      "adopt-customer"?: boolean;
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ConsumerCreate;
    response: Consumer;
  };
  /** Read a consumer */
  getConsumer: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** Include the consumer's keys. */
      "include-api-keys"?: boolean;
      /** Include the consumer's managers. */
      "include-managers"?: boolean;
      /** Include the pending invites. */
      "include-manager-invites"?: boolean;
      /** How key values are shown: not at all, completely, or only their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: Consumer;
  };
  /** Change a consumer */
  updateConsumer: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ConsumerUpdate;
    response: Consumer;
  };
  /** Delete a consumer */
  deleteConsumer: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Change many consumers */
  updateConsumers: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: UpdateConsumers;
    response: BulkConsumersResult;
  };
  /** Delete many consumers */
  deleteConsumers: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: DeleteConsumers;
    response: BulkConsumersResult;
  };
  /** List the keys of a consumer */
  listKeys: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** How key values are shown: not at all, completely, or only their last characters. */
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
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyCreate;
    response: ApiKey;
  };
  /** Read a key */
  getKey: {
    params: { accountName: string; bucketName: string; consumerName: string; keyId: string };
    query: {
      /** How key values are shown: not at all, completely, or only their last characters. */
      "key-format"?: "none" | "visible" | "masked";
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ApiKey;
  };
  /** Change a key */
  updateKey: {
    params: { accountName: string; bucketName: string; consumerName: string; keyId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyUpdate;
    response: ApiKey;
  };
  /** Delete a key */
  deleteKey: {
    params: { accountName: string; bucketName: string; consumerName: string; keyId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Create up to 1,000 keys, all or none */
  createKeys: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ApiKeyCreate[] | ApiKeyCreate;
    response: ApiKeyList;
  };
  /** Roll a consumer's keys */
  rollKey: {
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: RollKey;
    response: undefined;
  };
  /** Roll one key */
  rollOneKey: {
    params: { accountName: string; bucketName: string; consumerName: string; keyId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: RollOneKey;
    response: ApiKey;
  };
  /** Verify a key */
  verifyKey: {
    params: { accountName: string; bucketName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: VerifyKey;
    response: KeyVerification;
  };
  /** List the keys of all consumers */
  listBucketKeys: {
    params: { accountName: string; bucketName: string };
    query: {
      /** Keys last used before this time, or never used and created before it. */
      "unused-since"?: string;
      /** Keys whose `expiresOn` is before this time. */
      "expires-before"?: string;
      /** Keys created before this time. */
      "created-before"?: string;
      /** Keys that have this permission, also by a prefix such as `orders:*`. */
      permission?: string;
      /** Keys with these last characters, at most those that the masked form shows. */
      suffix?: string;
      /** Keys that were never used; with false, those that were. */
      "never-used"?: boolean;
      /** Keys that are enabled; with false, those that are disabled. */
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
    params: { accountName: string; bucketName: string };
    query: object;
    body: UpdateKeys;
    response: BulkKeysResult;
  };
  /** Report leaked keys */
  reportLeakedKeys: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: LeakReport;
    response: JobStarted;
  };
  /** Delete many keys */
  deleteKeys: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: DeleteKeys;
    response: BulkKeysResult;
  };
  /** Read the progress of a job */
  getJob: {
    params: { accountName: string; jobId: string };
    query: object;
    body: undefined;
    response: Job;
  };
  /** List the managers of a consumer */
  listManagers: {
    params: { accountName: string; bucketName: string; consumerName: string };
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
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerCreate;
    response: Manager;
  };
  /** Read a manager */
  getManager: {
    params: { accountName: string; bucketName: string; consumerName: string; managerId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: Manager;
  };
  /** Change what a manager may do in the portal */
  updateManager: {
    params: { accountName: string; bucketName: string; consumerName: string; managerId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerUpdate;
    response: Manager;
  };
  /** Remove a manager */
  deleteManager: {
    params: { accountName: string; bucketName: string; consumerName: string; managerId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** List the pending invites of a consumer */
  listManagerInvites: {
    params: { accountName: string; bucketName: string; consumerName: string };
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
    params: { accountName: string; bucketName: string; consumerName: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: ManagerInviteCreate;
    response: ManagerInvite;
  };
  /** Read an invite */
  getManagerInvite: {
    params: { accountName: string; bucketName: string; consumerName: string; inviteId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: ManagerInvite;
  };
  /** Withdraw an invite */
  deleteManagerInvite: {
    params: { accountName: string; bucketName: string; consumerName: string; inviteId: string };
    query: {
      /** `tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. Filters a list; elsewhere a mismatch is a 404. */
      tag?: Record<string, string>;
    };
    body: undefined;
    response: undefined;
  };
  /** Accept an invite */
  acceptManagerInvite: {
    params: { accountName: string; bucketName: string; consumerName: string; inviteId: string };
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
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: MeteringBucketList;
  };
  /** Create a metering bucket */
  createMeteringBucket: {
    params: object;
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: MeteringBucketCreate;
    response: MeteringBucket;
  };
  /** Read a metering bucket */
  getMeteringBucket: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: MeteringBucket;
  };
  /** Change a metering bucket */
  updateMeteringBucket: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: MeteringBucketUpdate;
    response: MeteringBucket;
  };
  /** Delete a metering bucket */
  deleteMeteringBucket: {
    params: { bucketId: string };
    query: {
      /** Also delete the subscriptions and usage in it. */
      force?: boolean;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List plans */
  listPlans: {
    params: { bucketId: string };
    query: {
      planExternalId?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: PlanList;
  };
  /** Create a plan */
  createPlan: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PlanCreate;
    response: Plan;
  };
  /** Read a plan */
  getPlan: {
    params: { bucketId: string; planId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Plan;
  };
  /** Change a plan */
  updatePlan: {
    params: { bucketId: string; planId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PlanUpdate;
    response: Plan;
  };
  /** Delete a plan */
  deletePlan: {
    params: { bucketId: string; planId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List subscriptions */
  listSubscriptions: {
    params: { bucketId: string };
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
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SubscriptionList;
  };
  /** Create a subscription */
  createSubscription: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionCreate;
    response: CreatedSubscription;
  };
  /** Read a subscription */
  getSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Subscription;
  };
  /** Change a subscription */
  updateSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionUpdate;
    response: Subscription;
  };
  /** Delete a subscription with its usage */
  deleteSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Record usage events */
  recordUsage: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: UsageEvents;
    response: IngestedEvents;
  };
  /** Read the usage of a period */
  getUsage: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** A time in the period; now by default. */
      at?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Usage;
  };
  /** Preview a change of plans */
  previewPlanChange: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PlanChange;
    response: PlanChangePreview;
  };
  /** Read the usage of each period */
  getUsageHistory: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The start of the range; by default a year before the end. */
      from?: string;
      /** The end of the range; now by default. */
      to?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageHistory;
  };
  /** Read usage by hour or day */
  getUsageSeries: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The start of the range, aligned down to the step, but not before the start of its period. By default the start of the current period. */
      from?: string;
      /** The end of the range; now by default. The step that contains it is included, but not beyond the end of its period. */
      to?: string;
      /** The interval of each point. Hours are kept for 90 days. By default `1h` for up to a week, else `1d`. */
      step?: "1h" | "1d";
      /** Considers only this meter. */
      meter?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageSeries;
  };
  /** List subscriptions by the used share of their quotas */
  listUsage: {
    params: { bucketId: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** Only subscriptions that used at least this share of a quota, such as `0.8`. */
      near?: string;
      /** Considers only this meter. */
      meter?: string;
      /** Only subscriptions of these customers: up to 100 keys, separated by commas. */
      customerKeys?: string;
      /** `rankedOn` of the first page: the order of the others is the same, while it is kept. */
      rankedOn?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UsageShareList;
  };
  /** Consume from the quota, all or nothing */
  consumeQuota: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: ConsumeQuota;
    response: ConsumedQuota;
  };
  /** Settle a hold */
  settleHold: {
    params: { bucketId: string; holdId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SettleHold;
    response: SettledHold;
  };
  /** Release a hold */
  releaseHold: {
    params: { bucketId: string; holdId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Compare the counters with the events */
  reconcileUsage: {
    params: { bucketId: string };
    query: {
      /** Periods that begin at this time or later. */
      from?: string;
      /** Periods that begin before this time. */
      to?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Reconciliation;
  };
  /** Read the billing profile of an account */
  getBillingProfile: {
    params: { accountName: string };
    query: object;
    body: undefined;
    response: BillingProfile;
  };
  /** Set the billing profile of an account */
  setBillingProfile: {
    params: { accountName: string };
    query: object;
    body: BillingProfileInput;
    response: BillingProfile;
  };
  /** Preview a mail to customers of buckets without a portal */
  previewBillingMail: {
    params: { accountName: string };
    query: object;
    body: BillingMailPreviewCreate;
    response: PortalMailPreview;
  };
  /** Read how invoices are paid */
  getPaymentProvider: {
    params: { accountName: string; mode: string };
    query: object;
    body: undefined;
    response: PaymentProvider;
  };
  /** Set how invoices are paid */
  setPaymentProvider: {
    params: { accountName: string; mode: string };
    query: {
      /** Also while Stripe has unfinished invoices, which it keeps charging for. */
      force?: boolean;
    };
    body: PaymentProviderInput;
    response: PaymentProvider;
  };
  /** Receive an event of Stripe */
  receiveStripeEvent: {
    params: { accountName: string; mode: string };
    query: object;
    body: undefined;
    response: StripeEventReceived;
  };
  /** Compare invoices with the payment provider */
  comparePayments: {
    params: { accountName: string; mode: string };
    query: {
      /** By default 30 days ago. */
      since?: string;
    };
    body: undefined;
    response: PaymentComparison;
  };
  /** List customers */
  listCustomers: {
    params: { bucketId: string };
    query: {
      /** Only those of these customers: up to 100 keys, separated by commas. */
      customerKeys?: string;
      /** `amountDue`: those who owe the most first, without conversion of currencies, and then those who owe nothing. Not with `customerKeys`; `offset` is at most 10000. */
      sort?: "amountDue";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: CustomerList;
  };
  /** Read a customer */
  getCustomer: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Customer;
  };
  /** Change a customer */
  updateCustomer: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: CustomerUpdate;
    response: Customer;
  };
  /** Set the sandbox payment method of a customer */
  setPaymentMethod: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PaymentMethodInput;
    response: Customer;
  };
  /** Remove the payment method of a customer */
  deletePaymentMethod: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List the grants of a customer */
  listGrants: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: GrantList;
  };
  /** Grant credits to a customer */
  createGrant: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: GrantInput;
    response: Grant;
  };
  /** Read a grant */
  getGrant: {
    params: { bucketId: string; customerKey: string; grantId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Grant;
  };
  /** List the ledger of a grant */
  listGrantEntries: {
    params: { bucketId: string; customerKey: string; grantId: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: GrantEntryList;
  };
  /** List the history of a customer's credit */
  listCreditEntries: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** `desc`: the newest first. */
      order?: "asc" | "desc";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: CreditEntryList;
  };
  /** Void a grant */
  voidGrant: {
    params: { bucketId: string; customerKey: string; grantId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Grant;
  };
  /** Take a usage event back */
  voidEvent: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: EventVoid;
    response: VoidedEvent;
  };
  /** List credit packs */
  listCreditPacks: {
    params: { bucketId: string };
    query: {
      packExternalId?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: CreditPackList;
  };
  /** Create a credit pack */
  createCreditPack: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: CreditPackCreate;
    response: CreditPack;
  };
  /** Read a credit pack */
  getCreditPack: {
    params: { bucketId: string; packId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: CreditPack;
  };
  /** Change a credit pack */
  updateCreditPack: {
    params: { bucketId: string; packId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: CreditPackUpdate;
    response: CreditPack;
  };
  /** Delete a credit pack */
  deleteCreditPack: {
    params: { bucketId: string; packId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List the purchases of credit packs of a customer */
  listPackPurchases: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: PackPurchaseList;
  };
  /** Sell a credit pack to a customer */
  purchasePack: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PackPurchaseCreate;
    response: PurchasedPack;
  };
  /** Read the purchase of a credit pack */
  getPackPurchase: {
    params: { bucketId: string; customerKey: string; purchaseId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: PackPurchase;
  };
  /** Refund what is left of a credit pack */
  refundPack: {
    params: { bucketId: string; customerKey: string; purchaseId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: PackRefund;
  };
  /** Get a link to the provider's page of a customer */
  openPaymentPortal: {
    params: { bucketId: string; customerKey: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: PaymentPortalInput;
    response: PaymentPortal;
  };
  /** List payments and refunds */
  listPayments: {
    params: { bucketId: string };
    query: {
      customerKey?: string;
      /** Paid at this time or later. */
      from?: string;
      /** Paid before this time. */
      to?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: PaymentList;
  };
  /** List invoices and credit notes */
  listInvoices: {
    params: { bucketId: string };
    query: {
      customerKey?: string;
      /** Only invoices of these customers: up to 100 keys, separated by commas. */
      customerKeys?: string;
      subscriptionId?: string;
      status?: "draft" | "open" | "paid" | "uncollectible" | "void";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: InvoiceList;
  };
  /** Add up what was invoiced, by month and plan */
  getRevenue: {
    params: { bucketId: string };
    query: {
      /** The first month; by default 11 months before the last. */
      from?: string;
      /** The last month; this one by default. */
      to?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Revenue;
  };
  /** Show recurring revenue by month, and why it changed */
  getRecurringRevenue: {
    params: { bucketId: string };
    query: {
      /** The first month; by default 11 months before the last. */
      from?: string;
      /** The last month; this one by default. */
      to?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: RecurringRevenue;
  };
  /** Read an invoice */
  getInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** As `Accept: application/pdf`, for links. */
      format?: "pdf";
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Invoice;
  };
  /** Finalize a draft */
  finalizeInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Invoice;
  };
  /** Mark an invoice as paid */
  markInvoicePaid: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: InvoicePayment;
    response: Invoice;
  };
  /** Collect an open invoice */
  collectInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Invoice;
  };
  /** Confirm the second step of a payment in the sandbox */
  confirmInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Invoice;
  };
  /** Void an open invoice */
  voidInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Invoice;
  };
  /** Give up an open invoice */
  markInvoiceUncollectible: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Invoice;
  };
  /** Create a credit note for an invoice */
  creditInvoice: {
    params: { bucketId: string; invoiceId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: InvoiceCredit;
    response: Invoice;
  };
  /** Simulate other plans */
  simulatePlans: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SimulationInput;
    response: SimulationStarted;
  };
  /** List simulations */
  listSimulations: {
    params: { bucketId: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SimulationList;
  };
  /** Read a simulation */
  getSimulation: {
    params: { bucketId: string; simulationId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Simulation;
  };
  /** Cancel or delete a simulation */
  deleteSimulation: {
    params: { bucketId: string; simulationId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** List the customers of a simulation */
  listSimulatedCustomers: {
    params: { bucketId: string; simulationId: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: SimulatedCustomerList;
  };
  /** List the mail of a test bucket */
  listTestMails: {
    params: { bucketId: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: TestMailList;
  };
  /** Preview the next invoice of a subscription */
  getUpcomingInvoice: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: UpcomingInvoice;
  };
  /** Change the plans of a subscription */
  changeSubscriptionPlans: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionChange;
    response: Subscription;
  };
  /** Preview a change of plans */
  previewSubscriptionChange: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionChange;
    response: SubscriptionChangePreview;
  };
  /** Cancel a subscription */
  cancelSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionCancel;
    response: Subscription;
  };
  /** Resume a paused subscription, or undo a cancellation */
  resumeSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Subscription;
  };
  /** Pause a subscription */
  pauseSubscription: {
    params: { bucketId: string; subscriptionId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Subscription;
  };
  /** Move the time of a test bucket */
  moveClock: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: ClockMove;
    response: MeteringBucket;
  };
  /** Sell plans to a customer */
  purchaseSubscription: {
    params: { bucketId: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SubscriptionPurchase;
    response: PurchasedSubscription;
  };
  /** Open the page where a customer pays */
  openCheckout: {
    params: { checkoutToken: string };
    query: object;
    body: undefined;
    response: Checkout;
  };
  /** Choose a payment method of the sandbox, and pay */
  submitCheckout: {
    params: { checkoutToken: string };
    query: object;
    body: undefined;
    response: Checkout;
  };
  /** Request an upload address for a project */
  requestSourceUpload: {
    params: object;
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: SourceUploadCreate;
    response: SourceUpload;
  };
  /** Upload a project */
  uploadSource: {
    params: { archive: string };
    query: { token?: string; basedOn?: number };
    body: undefined;
    response: SourceReceived;
  };
  /** Read the progress of an upload */
  getDeploymentStatus: {
    params: { accountName: string; projectName: string; statusId: string };
    query: object;
    body: undefined;
    response: DeploymentStatus;
  };
  /** List the deployments of a project */
  listDeployments: {
    params: { accountName: string; projectName: string };
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
      /** Only the deployments of this branch. */
      branchName?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: AccountDeploymentList;
  };
  /** Read a deployment */
  getDeployment: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Deployment;
  };
  /** Delete a deployment */
  deleteDeployment: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Build the stored source again */
  redeploy: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Redeployed;
  };
  /** Build what is live in another deployment of the project */
  promoteDeployment: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: DeploymentPromotion;
    response: Redeployed;
  };
  /** List the versions of a deployment */
  listDeploymentVersions: {
    params: { deploymentName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentVersionList;
  };
  /** Read a version with its contents */
  getDeploymentVersion: {
    params: { deploymentName: string; versionNumber: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentVersionContents;
  };
  /** Download the project of a version */
  downloadVersionSource: {
    params: { deploymentName: string; versionNumber: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Roll back to an earlier version */
  rollBackDeployment: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Rollback;
    response: Deployment;
  };
  /** List the routes of a version */
  listDeployedRoutes: {
    params: { deploymentName: string };
    query: {
      /** The number of a version; by default the one that serves. */
      version?: string;
      /** Adds a request to a route that needs a key. */
      example?: boolean;
      /** Adds to each route how large it is as a tool for agents, or why it cannot be one. */
      tools?: boolean;
      /** Those of the example's key, separated by commas; any by default. */
      permissions?: string;
      /** The bucket of the example's key; any by default. */
      keyBucket?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeployedRoutes;
  };
  /** Compare a deployment with another one of the project, or two versions */
  compareDeployments: {
    params: { deploymentName: string };
    query: {
      /** A deployment of the same project; by default that of the production branch. */
      with?: string;
      /** The number of a version; by default the one that serves. */
      version?: string;
      /** The number of another version of this deployment to compare with, instead of `with`. */
      withVersion?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentChanges;
  };
  /** List the upstreams of a deployment, with the health of their targets */
  listDeployedUpstreams: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeployedUpstreams;
  };
  /** Read the versions that serve a deployment, with counts and latencies */
  getTraffic: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Traffic;
  };
  /** Split traffic between the live version and another one */
  splitTraffic: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: TrafficSplit;
    response: Traffic;
  };
  /** Return all traffic to the live version */
  stopCanary: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: undefined;
  };
  /** Make the canary the live version */
  promoteCanary: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: Record<string, never>;
    response: Traffic;
  };
  /** Create a header value that selects a version of the canary release */
  testVersion: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: TrafficTestCreate;
    response: TrafficTest;
  };
  /** Send a request to a deployment */
  tryDeployment: {
    params: { deploymentName: string };
    query: {
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: DeploymentTry;
    response: DeploymentTryResponse;
  };
  /** List custom domains */
  listDomains: {
    params: { accountName: string };
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
    params: { accountName: string };
    query: object;
    body: DomainCreate;
    response: Domain;
  };
  /** Read a custom domain */
  getDomain: {
    params: { accountName: string; domainId: string };
    query: object;
    body: undefined;
    response: Domain;
  };
  /** Change the deployments of a domain */
  updateDomain: {
    params: { accountName: string; domainId: string };
    query: object;
    body: DomainUpdate;
    response: Domain;
  };
  /** Delete a custom domain */
  deleteDomain: {
    params: { accountName: string; domainId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Look up the records of a domain now */
  checkDomain: {
    params: { accountName: string; domainId: string };
    query: object;
    body: Record<string, never>;
    response: Domain;
  };
  /** List the OAuth clients of a portal */
  listOAuthClients: {
    params: { accountName: string; bucketName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: OAuthClientList;
  };
  /** Create an OAuth client */
  createOAuthClient: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: OAuthClientInput;
    response: OAuthClient;
  };
  /** Read an OAuth client */
  getOAuthClient: {
    params: { accountName: string; bucketName: string; oauthClientId: string };
    query: object;
    body: undefined;
    response: OAuthClient;
  };
  /** Change the name or the redirect addresses of an OAuth client */
  updateOAuthClient: {
    params: { accountName: string; bucketName: string; oauthClientId: string };
    query: object;
    body: OAuthClientPatch;
    response: OAuthClient;
  };
  /** Delete an OAuth client */
  deleteOAuthClient: {
    params: { accountName: string; bucketName: string; oauthClientId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List what customers have authorized */
  listAuthorizations: {
    params: { accountName: string; bucketName: string };
    query: {
      /** Only those of this consumer. */
      consumerName?: string;
      /** Only those of the client with this `id`. */
      clientId?: string;
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: AuthorizationList;
  };
  /** Read an authorization */
  getAuthorization: {
    params: { accountName: string; bucketName: string; authorizationId: string };
    query: object;
    body: undefined;
    response: Authorization;
  };
  /** End an authorization */
  endAuthorization: {
    params: { accountName: string; bucketName: string; authorizationId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Sign access tokens with a new key */
  rotateOAuthKey: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: OAuthKeyRotation;
    response: JsonWebKeySet;
  };
  /** List the portals of an account */
  listPortals: {
    params: { accountName: string };
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: ListedPortalList;
  };
  /** Read the portal of a key bucket */
  getPortal: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: undefined;
    response: Portal;
  };
  /** Create the portal of a key bucket, or replace its settings */
  setPortal: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: PortalUpdate;
    response: Portal;
  };
  /** Delete the portal of a key bucket */
  deletePortal: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Hand a customer over to the portal */
  createPortalSession: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: PortalSessionCreate;
    response: PortalHandoff;
  };
  /** View the portal as a customer */
  viewPortal: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: PortalView;
    response: PortalHandoff;
  };
  /** Preview the portal with other settings */
  previewPortal: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: PortalPreviewCreate;
    response: PortalPreview;
  };
  /** Preview a mail to customers with other texts */
  previewPortalMail: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: PortalMailPreviewCreate;
    response: PortalMailPreview;
  };
  /** Show how far the customers who signed up have come */
  getPortalFunnel: {
    params: { accountName: string; bucketName: string };
    query: { stage?: "signed-up" | "key-created" | "active" | "stopped" };
    body: undefined;
    response: PortalFunnel;
  };
  /** List requests for access to a portal */
  listAccessRequests: {
    params: { accountName: string; bucketName: string };
    query: {
      state?: "pending" | "approved" | "denied";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: AccessRequestList;
  };
  /** Record a request for access */
  createAccessRequest: {
    params: { accountName: string; bucketName: string };
    query: object;
    body: AccessRequestCreate;
    response: AccessRequest;
  };
  /** Approve a request for access */
  approveAccessRequest: {
    params: { accountName: string; bucketName: string; accessRequestId: string };
    query: object;
    body: Record<string, never>;
    response: AccessRequest;
  };
  /** Deny a request for access */
  denyAccessRequest: {
    params: { accountName: string; bucketName: string; accessRequestId: string };
    query: object;
    body: Record<string, never>;
    response: AccessRequest;
  };
  /** List the variables of a project */
  listVariables: {
    params: { accountName: string; projectName: string };
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
    params: { accountName: string; projectName: string; variableName: string };
    query: object;
    body: undefined;
    response: Variable;
  };
  /** Set a variable */
  setVariable: {
    params: { accountName: string; projectName: string; variableName: string };
    query: object;
    body: VariableSet;
    response: Variable;
  };
  /** Delete a variable */
  deleteVariable: {
    params: { accountName: string; projectName: string; variableName: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List the requests to a deployment */
  listDeploymentRequests: {
    params: { deploymentName: string };
    query: {
      /** A status, such as `429`, or a class, such as `4xx`. */
      status?: string;
      method?: string;
      /** The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route. */
      route?: string;
      /** The name of the consumer; empty for requests without one. */
      consumer?: string;
      /** The id of the consumer: consumers of different key buckets may have the same name. */
      consumerId?: string;
      /** The `x-request-id` of the request. */
      requestId?: string;
      /** Text in the path. */
      q?: string;
      /** Only requests that a policy in `observe` would have rejected: `true`, or one policy by name. */
      observed?: string;
      /** Only requests since this time. */
      from?: string;
      /** Only requests before this time. */
      to?: string;
      /** Only requests before the one with this id. For the next page, use the last id of the previous one. */
      before?: string;
      /** The number of newest requests to return; values over 1000 become 1000. */
      limit?: number;
      /** Returns new requests as server-sent events until the client disconnects. */
      follow?: boolean;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: RequestFeed;
  };
  /** List the requests to all deployments of an account */
  listRequests: {
    params: { accountName: string };
    query: {
      /** A status, such as `429`, or a class, such as `4xx`. */
      status?: string;
      method?: string;
      /** The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route. */
      route?: string;
      /** The name of the consumer; empty for requests without one. */
      consumer?: string;
      /** The id of the consumer: consumers of different key buckets may have the same name. */
      consumerId?: string;
      /** The `x-request-id` of the request. */
      requestId?: string;
      /** Text in the path. */
      q?: string;
      /** Only requests that a policy in `observe` would have rejected: `true`, or one policy by name. */
      observed?: string;
      /** Only requests since this time. */
      from?: string;
      /** Only requests before this time. */
      to?: string;
      /** Only requests before the one with this id. For the next page, use the last id of the previous one. */
      before?: string;
      /** The number of newest requests to return; values over 1000 become 1000. */
      limit?: number;
      /** Returns new requests as server-sent events until the client disconnects. */
      follow?: boolean;
    };
    body: undefined;
    response: RequestFeed;
  };
  /** Read a request */
  getRequest: {
    params: { accountName: string; requestId: string };
    query: object;
    body: undefined;
    response: Request;
  };
  /** Read the log of a deployment */
  readDeploymentLog: {
    params: { deploymentName: string };
    query: {
      /** The number of newest lines to return; values over 1000 become 1000. */
      limit?: number;
      /** Only lines since this time. */
      since?: string;
      kind?: "access" | "console" | "build";
      /** Streams new lines as server-sent events until the client disconnects. */
      follow?: boolean;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: DeploymentLog;
  };
  /** Read the audit log */
  listAuditLog: {
    params: { accountName: string };
    query: {
      /** Such as `key.rolled`, or `key.*` or `key` for all of a type. */
      action?: string;
      /** The id of a token, `operator` or `system`. */
      actor?: string;
      /** `manager`: what customers did in the portal. */
      actorType?: "token" | "person" | "manager" | "client" | "operator" | "system";
      /** A type, or an id: entries about the resource and its children. */
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
    params: { accountName: string };
    query: {
      /** `<count>:<hash>` of an earlier head, which the log must still contain. */
      head?: string;
    };
    body: undefined;
    response: AuditVerification;
  };
  /** Read the analytics of a deployment */
  getDeploymentAnalytics: {
    params: { deploymentName: string };
    query: {
      /** The start of the range, aligned down to the step. By default a day before the end. */
      from?: string;
      /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
      to?: string;
      /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each value instead of one for all. `key`: API keys by id, `client`: OAuth clients and clients of agents by name, `tool`: the tools of agents; `policy`: the policies in `observe`, each with the requests that it decided; these four not together with `route`. */
      by?: "route" | "status" | "consumer" | "key" | "client" | "tool" | "policy" | "version" | "deployment";
      /** The number of series, those with the most requests first. All others are one more series, with `isOther`. */
      limit?: number;
      /** Only this route, as the project writes its path; `unknown` for unknown paths. */
      route?: string;
      /** Only this status, such as `429`, or class, such as `4xx`. */
      status?: string;
      /** Only this consumer, by name; empty for requests without one. */
      consumer?: string;
      /** Only this consumer, by id: consumers of different key buckets may have the same name. Not together with `route` or `policy`, or by `route`, `key`, `client`, `tool` or `policy`. */
      consumerId?: string;
      /** Only what this policy in `observe` has decided. Not together with `route`, or by `route`, `key`, `client` or `tool`. */
      policy?: string;
      /** The account, for the operator. Other tokens use their own account. */
      accountName?: string;
    };
    body: undefined;
    response: Analytics;
  };
  /** Read the analytics of all deployments of an account */
  getAccountAnalytics: {
    params: { accountName: string };
    query: {
      /** The start of the range, aligned down to the step. By default a day before the end. */
      from?: string;
      /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
      to?: string;
      /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each value instead of one for all. `key`: API keys by id, `client`: OAuth clients and clients of agents by name, `tool`: the tools of agents; `policy`: the policies in `observe`, each with the requests that it decided; these four not together with `route`. */
      by?: "route" | "status" | "consumer" | "key" | "client" | "tool" | "policy" | "version" | "deployment";
      /** The number of series, those with the most requests first. All others are one more series, with `isOther`. */
      limit?: number;
      /** Only this route, as the project writes its path; `unknown` for unknown paths. */
      route?: string;
      /** Only this status, such as `429`, or class, such as `4xx`. */
      status?: string;
      /** Only this consumer, by name; empty for requests without one. */
      consumer?: string;
      /** Only this consumer, by id: consumers of different key buckets may have the same name. Not together with `route` or `policy`, or by `route`, `key`, `client`, `tool` or `policy`. */
      consumerId?: string;
      /** Only what this policy in `observe` has decided. Not together with `route`, or by `route`, `key`, `client` or `tool`. */
      policy?: string;
    };
    body: undefined;
    response: Analytics;
  };
  /** Read the analytics of verify-key */
  getVerificationAnalytics: {
    params: { accountName: string };
    query: {
      /** The start of the range, aligned down to the step. By default a day before the end. */
      from?: string;
      /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
      to?: string;
      /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each value instead of one for all. */
      by?: "bucket" | "consumer" | "result";
      /** The number of series, those with the most verifications first. All others are one more series, with `isOther`. */
      limit?: number;
      /** Only this key bucket, by name. */
      bucket?: string;
      /** Only keys of this consumer, by name. Empty: only verifications of unknown keys. */
      consumer?: string;
      /** Only this result: `valid`, or the code of a rejection. */
      result?: VerificationResult;
    };
    body: undefined;
    response: VerificationAnalytics;
  };
  /** Read the analytics of models */
  getModelAnalytics: {
    params: { accountName: string };
    query: {
      /** The start of the range, aligned down to the step. By default a day before the end. */
      from?: string;
      /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
      to?: string;
      /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
      step?: "1m" | "1h" | "1d";
      /** One series for each value instead of one for all. */
      by?: "model" | "provider" | "deployment" | "consumer";
      /** The number of series, those with the most requests first. All others are one more series, with `isOther`. */
      limit?: number;
      /** Only this model, by its alias. */
      model?: string;
      /** Only this provider, by its name in the project. */
      provider?: string;
      /** Only this consumer, by name; empty for requests without one. */
      consumer?: string;
    };
    body: undefined;
    response: ModelAnalytics;
  };
  /** Find resources by words, ids and numbers */
  search: {
    params: { accountName: string };
    query: {
      /** Words or their beginnings, an id, the number of an invoice, a host, the last characters of a key, at most those that its mask shows, or `sha256:` and the SHA-256 of a whole key in hex. */
      q: string;
    };
    body: undefined;
    response: SearchMatches;
  };
  /** List webhooks */
  listWebhooks: {
    params: { accountName: string };
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
    params: { accountName: string };
    query: object;
    body: WebhookCreate;
    response: WebhookWithSecret;
  };
  /** Read a webhook */
  getWebhook: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: undefined;
    response: Webhook;
  };
  /** Change a webhook */
  updateWebhook: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: WebhookUpdate;
    response: Webhook;
  };
  /** Delete a webhook */
  deleteWebhook: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Rotate the secret of a webhook */
  rotateWebhookSecret: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: WebhookSecretRotation;
    response: WebhookWithSecret;
  };
  /** Send a test message */
  testWebhook: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: Record<string, never>;
    response: WebhookDelivery;
  };
  /** Send the messages of a time range again */
  replayWebhook: {
    params: { accountName: string; webhookId: string };
    query: object;
    body: WebhookReplay;
    response: WebhookReplayed;
  };
  /** List deliveries, newest first */
  listWebhookDeliveries: {
    params: { accountName: string; webhookId: string };
    query: {
      /** The number of newest deliveries to return; values over 1000 become 1000. */
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
        | "key.leaked"
        | "key.expiring"
        | "key.expired"
        | "authorization.created"
        | "authorization.ended"
        | "plan.created"
        | "plan.updated"
        | "plan.deleted"
        | "subscription.created"
        | "subscription.updated"
        | "subscription.deleted"
        | "subscription.trial_ending"
        | "subscription.renewed"
        | "quota.threshold"
        | "customer.updated"
        | "invoice.created"
        | "invoice.finalized"
        | "invoice.paid"
        | "invoice.payment_failed"
        | "invoice.voided"
        | "invoice.marked_uncollectible"
        | "credit-note.created"
        | "credit-note.refunded"
        | "credit-note.refund_failed"
        | "spend.threshold"
        | "usage.voided"
        | "grant.created"
        | "grant.consumed"
        | "grant.depleted"
        | "grant.expired"
        | "grant.voided"
        | "grant.refunded"
        | "grant.restored"
        | "grant.adjusted"
        | "pack-purchase.created"
        | "pack-purchase.paid"
        | "pack-purchase.failed"
        | "pack-purchase.canceled"
        | "pack-purchase.refunded"
        | "pack-purchase.reversed"
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
        | "model.unpriced"
        | "export.failed"
        | "webhook.disabled"
        | "webhook.test";
    };
    body: undefined;
    response: WebhookDeliveryList;
  };
  /** Read a delivery with its request and attempts */
  getWebhookDelivery: {
    params: { accountName: string; webhookId: string; deliveryId: string };
    query: object;
    body: undefined;
    response: WebhookDeliveryDetail;
  };
  /** Attempt a delivery again, now */
  retryWebhookDelivery: {
    params: { accountName: string; webhookId: string; deliveryId: string };
    query: object;
    body: Record<string, never>;
    response: WebhookDelivery;
  };
  /** List the saved views of an account */
  listViews: {
    params: { accountName: string };
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
    params: { accountName: string };
    query: object;
    body: ViewCreate;
    response: View;
  };
  /** Read a view */
  getView: {
    params: { accountName: string; viewId: string };
    query: object;
    body: undefined;
    response: View;
  };
  /** Rename a view or change its filters */
  updateView: {
    params: { accountName: string; viewId: string };
    query: object;
    body: ViewUpdate;
    response: View;
  };
  /** Delete a view */
  deleteView: {
    params: { accountName: string; viewId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Summarize an account */
  getOverview: {
    params: { accountName: string };
    query: object;
    body: undefined;
    response: Overview;
  };
  /** Read how long requests, audit entries and usage events are kept */
  getRetention: {
    params: { accountName: string };
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
  /** Read the configuration of an account */
  getConfiguration: {
    params: { accountName: string };
    query: object;
    body: undefined;
    response: ConfigurationDump;
  };
  /** Plan the changes that make an account match a configuration */
  planConfiguration: {
    params: { accountName: string };
    query: object;
    body: ConfigurationPlanCreate;
    response: ConfigurationPlan;
  };
  /** Read a plan */
  getConfigurationPlan: {
    params: { accountName: string; configurationPlanId: string };
    query: object;
    body: undefined;
    response: ConfigurationPlan;
  };
  /** Apply a plan */
  applyConfiguration: {
    params: { accountName: string };
    query: object;
    body: ConfigurationApply;
    response: ConfigurationPlan;
  };
}

/** Where each operation is found. */
export const routes = {
  whoAmI: "GET /v1/who-am-i",
  listAccounts: "GET /v1/accounts",
  createAccount: "POST /v1/accounts",
  getAccount: "GET /v1/accounts/{accountName}",
  deleteAccount: "DELETE /v1/accounts/{accountName}",
  listTokens: "GET /v1/accounts/{accountName}/tokens",
  createToken: "POST /v1/accounts/{accountName}/tokens",
  getToken: "GET /v1/accounts/{accountName}/tokens/{tokenId}",
  deleteToken: "DELETE /v1/accounts/{accountName}/tokens/{tokenId}",
  listExports: "GET /v1/accounts/{accountName}/exports",
  createExport: "POST /v1/accounts/{accountName}/exports",
  getExport: "GET /v1/accounts/{accountName}/exports/{exportName}",
  updateExport: "PATCH /v1/accounts/{accountName}/exports/{exportName}",
  deleteExport: "DELETE /v1/accounts/{accountName}/exports/{exportName}",
  backfillExport: "POST /v1/accounts/{accountName}/exports/{exportName}/$backfill",
  listTrustedIssuers: "GET /v1/accounts/{accountName}/trusted-issuers",
  createTrustedIssuer: "POST /v1/accounts/{accountName}/trusted-issuers",
  getTrustedIssuer: "GET /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}",
  updateTrustedIssuer: "PATCH /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}",
  deleteTrustedIssuer: "DELETE /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}",
  exchangeToken: "POST /v1/token-exchange",
  listMembers: "GET /v1/accounts/{accountName}/members",
  inviteMember: "POST /v1/accounts/{accountName}/members",
  getMember: "GET /v1/accounts/{accountName}/members/{memberId}",
  updateMember: "PATCH /v1/accounts/{accountName}/members/{memberId}",
  removeMember: "DELETE /v1/accounts/{accountName}/members/{memberId}",
  inviteMemberAgain: "POST /v1/accounts/{accountName}/members/{memberId}/$invite",
  listInvitations: "GET /v1/invitations",
  acceptOwnInvitation: "POST /v1/invitations/{invitingAccount}/$accept",
  declineInvitation: "POST /v1/invitations/{invitingAccount}/$decline",
  showInvitation: "POST /v1/invitations/$show",
  listMails: "GET /v1/accounts/{accountName}/mails",
  createSession: "POST /v1/sessions",
  listSessions: "GET /v1/sessions",
  acceptInvitation: "POST /v1/invitations/$accept",
  listAccountSessions: "GET /v1/accounts/{accountName}/sessions",
  deleteAccountSession: "DELETE /v1/accounts/{accountName}/sessions/{sessionId}",
  deleteSession: "DELETE /v1/sessions/{sessionId}",
  getSignInMethods: "GET /v1/sign-in",
  startSignIn: "POST /v1/sign-in",
  signInWithCode: "POST /v1/sign-in/code",
  signInWithLink: "POST /v1/sign-in/link",
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
  reportLeakedKeys: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$leaked",
  deleteKeys: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$delete",
  getJob: "GET /v1/accounts/{accountName}/jobs/{jobId}",
  listManagers: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers",
  addManager: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers",
  getManager: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}",
  updateManager:
    "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}",
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
  settleHold: "POST /v1/metering/{bucketId}/holds/{holdId}/$settle",
  releaseHold: "POST /v1/metering/{bucketId}/holds/{holdId}/$release",
  reconcileUsage: "GET /v1/metering/{bucketId}/reconciliation",
  getBillingProfile: "GET /v1/accounts/{accountName}/billing-profile",
  setBillingProfile: "PUT /v1/accounts/{accountName}/billing-profile",
  previewBillingMail: "POST /v1/accounts/{accountName}/billing-profile/$preview-mail",
  getPaymentProvider: "GET /v1/accounts/{accountName}/payment-provider/{mode}",
  setPaymentProvider: "PUT /v1/accounts/{accountName}/payment-provider/{mode}",
  receiveStripeEvent: "POST /v1/accounts/{accountName}/payment-provider/{mode}/events",
  comparePayments: "GET /v1/accounts/{accountName}/payment-provider/{mode}/comparison",
  listCustomers: "GET /v1/metering/{bucketId}/customers",
  getCustomer: "GET /v1/metering/{bucketId}/customers/{customerKey}",
  updateCustomer: "PATCH /v1/metering/{bucketId}/customers/{customerKey}",
  setPaymentMethod: "PUT /v1/metering/{bucketId}/customers/{customerKey}/payment-method",
  deletePaymentMethod: "DELETE /v1/metering/{bucketId}/customers/{customerKey}/payment-method",
  listGrants: "GET /v1/metering/{bucketId}/customers/{customerKey}/grants",
  createGrant: "POST /v1/metering/{bucketId}/customers/{customerKey}/grants",
  getGrant: "GET /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}",
  listGrantEntries: "GET /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}/entries",
  listCreditEntries: "GET /v1/metering/{bucketId}/customers/{customerKey}/credit-entries",
  voidGrant: "POST /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}/$void",
  voidEvent: "POST /v1/metering/{bucketId}/events/$void",
  listCreditPacks: "GET /v1/metering/{bucketId}/credit-packs",
  createCreditPack: "POST /v1/metering/{bucketId}/credit-packs",
  getCreditPack: "GET /v1/metering/{bucketId}/credit-packs/{packId}",
  updateCreditPack: "PATCH /v1/metering/{bucketId}/credit-packs/{packId}",
  deleteCreditPack: "DELETE /v1/metering/{bucketId}/credit-packs/{packId}",
  listPackPurchases: "GET /v1/metering/{bucketId}/customers/{customerKey}/packs",
  purchasePack: "POST /v1/metering/{bucketId}/customers/{customerKey}/packs/$purchase",
  getPackPurchase: "GET /v1/metering/{bucketId}/customers/{customerKey}/packs/{purchaseId}",
  refundPack: "POST /v1/metering/{bucketId}/customers/{customerKey}/packs/{purchaseId}/$refund",
  openPaymentPortal: "POST /v1/metering/{bucketId}/customers/{customerKey}/$payment-portal",
  listPayments: "GET /v1/metering/{bucketId}/payments",
  listInvoices: "GET /v1/metering/{bucketId}/invoices",
  getRevenue: "GET /v1/metering/{bucketId}/revenue",
  getRecurringRevenue: "GET /v1/metering/{bucketId}/recurring-revenue",
  getInvoice: "GET /v1/metering/{bucketId}/invoices/{invoiceId}",
  finalizeInvoice: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$finalize",
  markInvoicePaid: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$mark-paid",
  collectInvoice: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$collect",
  confirmInvoice: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$confirm",
  voidInvoice: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$void",
  markInvoiceUncollectible: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$mark-uncollectible",
  creditInvoice: "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$credit",
  simulatePlans: "POST /v1/metering/{bucketId}/$simulate",
  listSimulations: "GET /v1/metering/{bucketId}/simulations",
  getSimulation: "GET /v1/metering/{bucketId}/simulations/{simulationId}",
  deleteSimulation: "DELETE /v1/metering/{bucketId}/simulations/{simulationId}",
  listSimulatedCustomers: "GET /v1/metering/{bucketId}/simulations/{simulationId}/customers",
  listTestMails: "GET /v1/metering/{bucketId}/mails",
  getUpcomingInvoice: "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/upcoming-invoice",
  changeSubscriptionPlans: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$change",
  previewSubscriptionChange: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$change/preview",
  cancelSubscription: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$cancel",
  resumeSubscription: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$resume",
  pauseSubscription: "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$pause",
  moveClock: "POST /v1/metering/{bucketId}/clock",
  purchaseSubscription: "POST /v1/metering/{bucketId}/subscriptions/$purchase",
  openCheckout: "GET /v1/checkouts/{checkoutToken}",
  submitCheckout: "POST /v1/checkouts/{checkoutToken}",
  requestSourceUpload: "POST /v1/deployments/sources",
  uploadSource: "PUT /v1/deployments/sources/{archive}",
  getDeploymentStatus: "GET /v1/accounts/{accountName}/projects/{projectName}/deployment-status/{statusId}",
  listDeployments: "GET /v1/accounts/{accountName}/projects/{projectName}/deployments",
  listAccountDeployments: "GET /v1/deployments",
  getDeployment: "GET /v1/deployments/{deploymentName}",
  deleteDeployment: "DELETE /v1/deployments/{deploymentName}",
  redeploy: "POST /v1/deployments/{deploymentName}/deploy",
  promoteDeployment: "POST /v1/deployments/{deploymentName}/$promote",
  listDeploymentVersions: "GET /v1/deployments/{deploymentName}/versions",
  getDeploymentVersion: "GET /v1/deployments/{deploymentName}/versions/{versionNumber}",
  downloadVersionSource: "GET /v1/deployments/{deploymentName}/versions/{versionNumber}/source",
  rollBackDeployment: "POST /v1/deployments/{deploymentName}/rollback",
  listDeployedRoutes: "GET /v1/deployments/{deploymentName}/routes",
  compareDeployments: "GET /v1/deployments/{deploymentName}/changes",
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
  listOAuthClients: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients",
  createOAuthClient: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients",
  getOAuthClient: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}",
  updateOAuthClient: "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}",
  deleteOAuthClient: "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}",
  listAuthorizations: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations",
  getAuthorization: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations/{authorizationId}",
  endAuthorization:
    "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations/{authorizationId}",
  rotateOAuthKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-keys/$rotate",
  listPortals: "GET /v1/accounts/{accountName}/portals",
  getPortal: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal",
  setPortal: "PUT /v1/accounts/{accountName}/key-buckets/{bucketName}/portal",
  deletePortal: "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal",
  createPortalSession: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/sessions",
  viewPortal: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/$view",
  previewPortal: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/$preview",
  previewPortalMail: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/$preview-mail",
  getPortalFunnel: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/funnel",
  listAccessRequests: "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests",
  createAccessRequest: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests",
  approveAccessRequest:
    "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests/{accessRequestId}/$approve",
  denyAccessRequest:
    "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests/{accessRequestId}/$deny",
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
  getModelAnalytics: "GET /v1/accounts/{accountName}/analytics/models",
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
  getOverview: "GET /v1/accounts/{accountName}/overview",
  getRetention: "GET /v1/accounts/{accountName}/retention",
  getSystemStatus: "GET /v1/system",
  getConfiguration: "GET /v1/accounts/{accountName}/configuration",
  planConfiguration: "POST /v1/accounts/{accountName}/configuration/$plan",
  getConfigurationPlan: "GET /v1/accounts/{accountName}/configuration/plans/{configurationPlanId}",
  applyConfiguration: "POST /v1/accounts/{accountName}/configuration/$apply",
} as const satisfies Record<keyof Operations, string>;
