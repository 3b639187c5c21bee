// Written by `npm run generate` from the OpenAPI document. Do not edit.
import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type {
  AccessRequest,
  AccessRequestCreate,
  Account,
  AccountCreate,
  Analytics,
  ApiKey,
  ApiKeyCreate,
  ApiKeyList,
  ApiKeyUpdate,
  AuditEntries,
  Authorization,
  BillingMailPreviewCreate,
  BillingProfile,
  BillingProfileInput,
  BulkConsumersResult,
  BulkKeysResult,
  ClockMove,
  ConfigurationApply,
  ConfigurationDump,
  ConfigurationPlan,
  ConfigurationPlanCreate,
  ConsumedQuota,
  ConsumeQuota,
  Consumer,
  ConsumerCreate,
  ConsumerUpdate,
  CreatedSession,
  CreatedSubscription,
  CreatedToken,
  CreditEntry,
  CreditPack,
  CreditPackCreate,
  CreditPackUpdate,
  Customer,
  CustomerUpdate,
  DeleteConsumers,
  DeleteKeys,
  DeployedRoutes,
  DeployedUpstreams,
  Deployment,
  DeploymentChanges,
  DeploymentList,
  DeploymentLog,
  DeploymentPromotion,
  DeploymentStatus,
  DeploymentTry,
  DeploymentTryResponse,
  DeploymentVersion,
  DeploymentVersionContents,
  Domain,
  DomainCreate,
  DomainUpdate,
  Grant,
  GrantEntry,
  GrantInput,
  HourlyExport,
  HourlyExportBackfill,
  HourlyExportCreate,
  HourlyExportUpdate,
  Invitation,
  InvitationAccept,
  InvitedMember,
  Invoice,
  InvoiceCredit,
  InvoicePayment,
  JobStarted,
  JsonWebKeySet,
  KeyBucket,
  KeyBucketCreate,
  KeyBucketUpdate,
  LeakReport,
  ListedApiKey,
  Mail,
  Manager,
  ManagerCreate,
  ManagerInvite,
  ManagerInviteAccept,
  ManagerInviteCreate,
  ManagerUpdate,
  Member,
  MemberInvite,
  MemberUpdate,
  MeteringBucket,
  MeteringBucketCreate,
  MeteringBucketUpdate,
  ModelAnalytics,
  OAuthClient,
  OAuthClientInput,
  OAuthClientPatch,
  OAuthKeyRotation,
  Operations,
  OwnInvitation,
  OwnInvitations,
  PackPurchase,
  PackPurchaseCreate,
  PackRefund,
  Payment,
  PaymentComparison,
  PaymentMethodInput,
  PaymentPortal,
  PaymentPortalInput,
  PaymentProvider,
  PaymentProviderInput,
  Plan,
  PlanChange,
  PlanChangePreview,
  PlanCreate,
  PlanUpdate,
  Portal,
  PortalFunnel,
  PortalHandoff,
  PortalMailPreview,
  PortalMailPreviewCreate,
  PortalPreview,
  PortalPreviewCreate,
  PortalSessionCreate,
  PortalUpdate,
  PortalView,
  PurchasedPack,
  PurchasedSubscription,
  Reconciliation,
  RecurringRevenue,
  Redeployed,
  RemovedMember,
  Revenue,
  RollOneKey,
  Session,
  SessionCreate,
  SettledHold,
  SettleHold,
  SignInCode,
  SignInLink,
  SignInMethods,
  SignInStart,
  SimulatedCustomer,
  Simulation,
  SimulationInput,
  SimulationStarted,
  StartedSignIn,
  Subscription,
  SubscriptionCancel,
  SubscriptionChange,
  SubscriptionChangePreview,
  SubscriptionCreate,
  SubscriptionPurchase,
  SubscriptionUpdate,
  TestMail,
  Token,
  TokenCreate,
  Traffic,
  TrafficSplit,
  TrafficTest,
  TrafficTestCreate,
  TrustedIssuer,
  TrustedIssuerCreate,
  TrustedIssuerUpdate,
  UpcomingInvoice,
  UpdateConsumers,
  UpdateKeys,
  Usage,
  UsageHistory,
  UsageSeries,
  UsageShare,
  Variable,
  VariableSet,
  VerificationAnalytics,
  VerificationResult,
  View,
  ViewCreate,
  ViewUpdate,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookReplay,
  WebhookReplayed,
  WebhookUpdate,
  WebhookWithSecret,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface DeleteBucketOptions extends ChangeOptions {
  /** Also delete the subscriptions and usage in it. */ force?: boolean | undefined;
}

export interface ListBucketKeysOptions extends TagOptions, PageOptions, RequestOptions {
  /** Keys last used before this time, or never used and created before it. */ unusedSince?: string | undefined;
  /** Keys whose `expiresOn` is before this time. */
  expiresBefore?: string | undefined;
  /** Keys created before this time. */
  createdBefore?: string | undefined;
  /** Keys that have this permission, also by a prefix such as `orders:*`. */
  permission?: string | undefined;
  /** Keys with these last characters, at most those that the masked form shows. */
  suffix?: string | undefined;
  /** Keys that were never used; with false, those that were. */
  neverUsed?: boolean | undefined;
  /** Keys that are enabled; with false, those that are disabled. */
  enabled?: boolean | undefined;
}

export interface ListConsumersOptions extends TagOptions, PageOptions, RequestOptions {
  /** Include the consumer's keys. */ includeApiKeys?: boolean | undefined;
  /** Include the consumer's managers. */
  includeManagers?: boolean | undefined;
  /** Include the pending invites. */
  includeManagerInvites?: boolean | undefined;
  /** How key values are shown: not at all, completely, or only their last characters. */
  keyFormat?: "none" | "visible" | "masked" | undefined;
  /** Only consumers whose name has this prefix. */
  namePrefix?: string | undefined;
  /** Only consumers with a manager or an invite of this email address, case-insensitive. */
  managerEmail?: string | undefined;
  /** Only consumers with these names: up to 100, separated by commas. Not with other filters. */
  names?: readonly string[] | undefined;
  /** `lastUsedOn`: by the last use of any of their keys, the latest first, and then those that were never used. Times are compared to 6 hours, and exactly within a page. Not with filters; `offset` is at most 10000. */
  sort?: "lastUsedOn" | undefined;
}

export interface CreateConsumerOptions extends TagOptions, CreateOptions {
  /** Create a key together with the consumer. */ withApiKey?: boolean | undefined;
  /** Hand the customer of a deleted consumer of this name over to the new one: subscriptions, credit, payment method and invoices. */
  adoptCustomer?: boolean | undefined;
}

export interface GetConsumerOptions extends TagOptions, RequestOptions {
  /** Include the consumer's keys. */ includeApiKeys?: boolean | undefined;
  /** Include the consumer's managers. */
  includeManagers?: boolean | undefined;
  /** Include the pending invites. */
  includeManagerInvites?: boolean | undefined;
  /** How key values are shown: not at all, completely, or only their last characters. */
  keyFormat?: "none" | "visible" | "masked" | undefined;
}

export interface ListKeysOptions extends TagOptions, PageOptions, RequestOptions {
  /** How key values are shown: not at all, completely, or only their last characters. */
  keyFormat?: "none" | "visible" | "masked" | undefined;
}

export interface GetKeyOptions extends TagOptions, RequestOptions {
  /** How key values are shown: not at all, completely, or only their last characters. */
  keyFormat?: "none" | "visible" | "masked" | undefined;
}

export interface ListAuthorizationsOptions extends PageOptions, RequestOptions {
  /** Only those of this consumer. */ consumerName?: string | undefined;
  /** Only those of the client with this `id`. */
  clientId?: string | undefined;
}

export interface PortalFunnelOptions extends RequestOptions {
  stage?: "signed-up" | "key-created" | "active" | "stopped" | undefined;
}

export interface ListAccessRequestsOptions extends PageOptions, RequestOptions {
  state?: "pending" | "approved" | "denied" | undefined;
}

export interface ListUsageOptions extends PageOptions, RequestOptions {
  /** Only subscriptions that used at least this share of a quota, such as `0.8`. */ near?: number | undefined;
  /** Considers only this meter. */
  meter?: string | undefined;
  /** Only subscriptions of these customers: up to 100 keys, separated by commas. */
  customerKeys?: readonly string[] | undefined;
  /** `rankedOn` of the first page: the order of the others is the same, while it is kept. */
  rankedOn?: string | undefined;
}

export interface ReconcileOptions extends RequestOptions {
  /** Periods that begin at this time or later. */ from?: string | undefined;
  /** Periods that begin before this time. */
  to?: string | undefined;
}

export interface ListPlansOptions extends PageOptions, RequestOptions {
  planExternalId?: string | undefined;
}

export interface ListSubscriptionsOptions extends PageOptions, RequestOptions {
  customerKey?: string | undefined;
  subscriptionExternalId?: string | undefined;
  planId?: string | undefined;
  status?: Operations["listSubscriptions"]["query"]["status"] | undefined;
}

export interface GetUsageOptions extends RequestOptions {
  /** A time in the period; now by default. */ at?: string | undefined;
}

export interface UsageHistoryOptions extends RequestOptions {
  /** The start of the range; by default a year before the end. */ from?: string | undefined;
  /** The end of the range; now by default. */
  to?: string | undefined;
}

export interface UsageSeriesOptions extends RequestOptions {
  /** The start of the range, aligned down to the step, but not before the start of its period. By default the start of the current period. */
  from?: string | undefined;
  /** The end of the range; now by default. The step that contains it is included, but not beyond the end of its period. */
  to?: string | undefined;
  /** The interval of each point. Hours are kept for 90 days. By default `1h` for up to a week, else `1d`. */
  step?: "1h" | "1d" | undefined;
  /** Considers only this meter. */
  meter?: string | undefined;
}

export interface ListCustomersOptions extends PageOptions, RequestOptions {
  /** Only those of these customers: up to 100 keys, separated by commas. */
  customerKeys?: readonly string[] | undefined;
  /** `amountDue`: those who owe the most first, without conversion of currencies, and then those who owe nothing. Not with `customerKeys`; `offset` is at most 10000. */
  sort?: "amountDue" | undefined;
}

export interface CreditHistoryOptions extends PageOptions, RequestOptions {
  /** `desc`: the newest first. */ order?: "asc" | "desc" | undefined;
}

export interface ListCreditPacksOptions extends PageOptions, RequestOptions {
  packExternalId?: string | undefined;
}

export interface ListPaymentsOptions extends PageOptions, RequestOptions {
  customerKey?: string | undefined;
  /** Paid at this time or later. */
  from?: string | undefined;
  /** Paid before this time. */
  to?: string | undefined;
}

export interface ListInvoicesOptions extends PageOptions, RequestOptions {
  customerKey?: string | undefined;
  /** Only invoices of these customers: up to 100 keys, separated by commas. */
  customerKeys?: readonly string[] | undefined;
  subscriptionId?: string | undefined;
  status?: "draft" | "open" | "paid" | "uncollectible" | "void" | undefined;
}

export interface RevenueOptions extends RequestOptions {
  /** The first month; by default 11 months before the last. */ from?: string | undefined;
  /** The last month; this one by default. */
  to?: string | undefined;
}

export interface RecurringRevenueOptions extends RequestOptions {
  /** The first month; by default 11 months before the last. */ from?: string | undefined;
  /** The last month; this one by default. */
  to?: string | undefined;
}

export interface GetInvoicesOptions extends RequestOptions {
  /** As `Accept: application/pdf`, for links. */ format?: "pdf" | undefined;
}

export interface SetProviderOptions extends ChangeOptions {
  /** Also while Stripe has unfinished invoices, which it keeps charging for. */ force?: boolean | undefined;
  /** A secret or restricted key of Stripe. It is not returned; without it, the stored one stays. */
  secretKey?: string | undefined;
  /** Signs Stripe's events. It is not returned; without it, the stored one stays. */
  webhookSecret?: string | undefined;
}

export interface ComparePaymentsOptions extends RequestOptions {
  /** By default 30 days ago. */ since?: string | undefined;
}

export interface ListDeploymentsOptions extends PageOptions, RequestOptions {
  /** Only the deployments of this project. */ project?: string | undefined;
  /** Only the deployments of this branch. */
  branch?: string | undefined;
}

export interface RollBackOptions extends CreateOptions {
  /** By default the previous version. */ version?: number | undefined;
}

export interface DeployedRoutesOptions extends RequestOptions {
  /** The number of a version; by default the one that serves. */ version?: number | undefined;
  /** Adds a request to a route that needs a key. */
  example?: boolean | undefined;
  /** Adds to each route how large it is as a tool for agents, or why it cannot be one. */
  tools?: boolean | undefined;
  /** Those of the example's key, separated by commas; any by default. */
  permissions?: readonly string[] | undefined;
  /** The bucket of the example's key; any by default. */
  keyBucket?: string | undefined;
}

export interface DeploymentChangesOptions extends RequestOptions {
  /** A deployment of the same project; by default that of the production branch. */ with?: string | undefined;
  /** The number of a version; by default the one that serves. */
  version?: number | undefined;
  /** The number of another version of this deployment to compare with, instead of `with`. */
  withVersion?: string | undefined;
}

export interface LogOptions extends RequestOptions {
  /** The number of newest lines to return; values over 1000 become 1000. */ limit?: number | undefined;
  /** Only lines since this time. */
  since?: string | undefined;
  kind?: "access" | "console" | "build" | undefined;
}

export interface AuditPageOptions extends RequestOptions {
  /** Such as `key.rolled`, or `key.*` or `key` for all of a type. */ action?: string | undefined;
  /** The id of a token, `operator` or `system`. */
  actor?: string | undefined;
  /** `manager`: what customers did in the portal. */
  actorType?: "token" | "person" | "manager" | "client" | "operator" | "system" | undefined;
  /** A type, or an id: entries about the resource and its children. */
  resource?: string | undefined;
  /** Not before this time. */
  from?: string | undefined;
  /** Before this time. */
  to?: string | undefined;
  /** Page size; at most 1000. */
  limit?: number | undefined;
  /** The id of an entry: returns older entries. */
  before?: string | undefined;
}

export interface AnalyticsOptions extends RequestOptions {
  /** The start of the range, aligned down to the step. By default a day before the end. */ from?: string | undefined;
  /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
  to?: string | undefined;
  /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
  step?: "1m" | "1h" | "1d" | undefined;
  /** One series for each value instead of one for all. `key`: API keys by id, `client`: OAuth clients and clients of agents by name, `tool`: the tools of agents; `policy`: the policies in `observe`, each with the requests that it decided; these four not together with `route`. */
  by?: Operations["getAccountAnalytics"]["query"]["by"] | undefined;
  /** The number of series, those with the most requests first. All others are one more series, with `isOther`. */
  limit?: number | undefined;
  /** Only this route, as the project writes its path; `unknown` for unknown paths. */
  route?: string | undefined;
  /** Only this status, such as `429`, or class, such as `4xx`. */
  status?: string | undefined;
  /** Only this consumer, by name; empty for requests without one. */
  consumer?: string | undefined;
  /** Only this consumer, by id: consumers of different key buckets may have the same name. Not together with `route` or `policy`, or by `route`, `key`, `client`, `tool` or `policy`. */
  consumerId?: string | undefined;
  /** Only what this policy in `observe` has decided. Not together with `route`, or by `route`, `key`, `client` or `tool`. */
  policy?: string | undefined;
}

export interface VerificationOptions extends RequestOptions {
  /** The start of the range, aligned down to the step. By default a day before the end. */ from?: string | undefined;
  /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
  to?: string | undefined;
  /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
  step?: "1m" | "1h" | "1d" | undefined;
  /** One series for each value instead of one for all. */
  by?: "bucket" | "consumer" | "result" | undefined;
  /** The number of series, those with the most verifications first. All others are one more series, with `isOther`. */
  limit?: number | undefined;
  /** Only this key bucket, by name. */
  bucket?: string | undefined;
  /** Only keys of this consumer, by name. Empty: only verifications of unknown keys. */
  consumer?: string | undefined;
  /** Only this result: `valid`, or the code of a rejection. */
  result?: VerificationResult | undefined;
}

export interface ModelOptions extends RequestOptions {
  /** The start of the range, aligned down to the step. By default a day before the end. */ from?: string | undefined;
  /** The end of the range; now by default. The step that contains it is included, also if it is in progress. */
  to?: string | undefined;
  /** The interval of each point. Kept for 2 days (`1m`), 90 days (`1h`) and 2 years (`1d`). By default the finest one that fits the range. */
  step?: "1m" | "1h" | "1d" | undefined;
  /** One series for each value instead of one for all. */
  by?: "model" | "provider" | "deployment" | "consumer" | undefined;
  /** The number of series, those with the most requests first. All others are one more series, with `isOther`. */
  limit?: number | undefined;
  /** Only this model, by its alias. */
  model?: string | undefined;
  /** Only this provider, by its name in the project. */
  provider?: string | undefined;
  /** Only this consumer, by name; empty for requests without one. */
  consumer?: string | undefined;
}

export interface RotateSecretOptions extends CreateOptions {
  /** How long messages are also signed with the old secret. */ graceSeconds?: number | undefined;
}

export interface DeliveryOptions extends RequestOptions {
  /** The number of newest deliveries to return; values over 1000 become 1000. */ limit?: number | undefined;
  /** The id of a delivery: only older ones. */
  before?: string | undefined;
  status?: "pending" | "succeeded" | "failed" | undefined;
  type?: Operations["listWebhookDeliveries"]["query"]["type"] | undefined;
}

/** The accounts of an installation. For the operator. */
export class Accounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List accounts.
   *
   * @example
   * ```ts
   * for await (const account of client.accounts.list()) console.log(account);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Account> {
    return this.#transport.list("listAccounts", { call: {}, paging });
  }

  /**
   * Create an account.
   *
   * @example
   * ```ts
   * const account = await client.accounts.create({ name: "acme" });
   * ```
   */
  create(account: AccountCreate, options?: CreateOptions): Promise<Account> {
    return this.#transport.call("createAccount", { body: account, options });
  }

  /**
   * Read an account.
   *
   * @example
   * ```ts
   * const account = await client.accounts.get("acme");
   * ```
   */
  get(accountName: string, options?: RequestOptions): Promise<Account> {
    return this.#transport.call("getAccount", { params: { accountName }, options });
  }

  /**
   * Delete an account with everything in it.
   * Its keys and tokens stop working immediately.
   *
   * @example
   * ```ts
   * await client.accounts.delete("acme");
   * ```
   */
  delete(accountName: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteAccount", { params: { accountName }, options });
  }
}

/** The credentials of the management API. For admins. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List tokens.
   *
   * @example
   * ```ts
   * for await (const token of client.tokens.list()) console.log(token);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Token> {
    return this.#transport.list("listTokens", { call: {}, paging });
  }

  /**
   * Create a token.
   * Only this response contains its value.
   *
   * @example
   * ```ts
   * const createdToken = await client.tokens.create({ role: "verifier", name: "gateway in Frankfurt" });
   * ```
   */
  create(token: TokenCreate, options?: CreateOptions): Promise<CreatedToken> {
    return this.#transport.call("createToken", { body: token, options });
  }

  /**
   * Read a token.
   *
   * @example
   * ```ts
   * const token = await client.tokens.get(tokenId);
   * ```
   */
  get(tokenId: string, options?: RequestOptions): Promise<Token> {
    return this.#transport.call("getToken", { params: { tokenId }, options });
  }

  /**
   * Delete a token.
   * It stops working immediately, also if it is the token of this request.
   *
   * @example
   * ```ts
   * await client.tokens.delete(tokenId);
   * ```
   */
  delete(tokenId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteToken", { params: { tokenId }, options });
  }
}

/** Copies of usage events, requests, invoices and the audit log in object storage, by hour. For admins. */
export class Exports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List exports.
   *
   * @example
   * ```ts
   * for await (const hourlyExport of client.exports.list()) console.log(hourlyExport);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<HourlyExport> {
    return this.#transport.list("listExports", { call: {}, paging });
  }

  /**
   * Create an export.
   * Each hour of receipt is written once, two minutes after its end: an object per kind, and then a manifest. `file:` is possible only in the folder of `TOLLGATE_EXPORT_DIR` that has the name of the account.
   *
   * @example
   * ```ts
   * const hourlyExport = await client.exports.create({
   *   name: "warehouse",
   *   to: {
   *     url: "s3://acme-warehouse/tollgate",
   *     region: "eu-central-1",
   *     credential: {
   *       accessKeyId: "AKIAEXAMPLE",
   *       secretAccessKey: "secret"
   *     }
   *   },
   *   kinds: [
   *     "events",
   *     "invoices"
   *   ],
   *   format: "parquet"
   * });
   * ```
   */
  create(hourlyExport: HourlyExportCreate, options?: CreateOptions): Promise<HourlyExport> {
    return this.#transport.call("createExport", { body: hourlyExport, options });
  }

  /**
   * Read an export.
   *
   * @example
   * ```ts
   * const hourlyExport = await client.exports.get("warehouse");
   * ```
   */
  get(exportName: string, options?: RequestOptions): Promise<HourlyExport> {
    return this.#transport.call("getExport", { params: { exportName }, options });
  }

  /**
   * Enable or disable an export, or change its credential.
   * A failing export is tried again at once. Destination, kinds and format cannot be changed.
   *
   * @example
   * ```ts
   * const hourlyExport = await client.exports.update("warehouse", { isEnabled: false });
   * ```
   */
  update(exportName: string, changes: HourlyExportUpdate, options?: ChangeOptions): Promise<HourlyExport> {
    return this.#transport.call("updateExport", { params: { exportName }, body: changes, options });
  }

  /**
   * Delete an export.
   * What it has written stays.
   *
   * @example
   * ```ts
   * await client.exports.delete("warehouse");
   * ```
   */
  delete(exportName: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteExport", { params: { exportName }, options });
  }

  /**
   * Write earlier hours, or hours again.
   * Writes the hours from `from` to `to`: before the first hour of the export, as far as their data is still kept, or again. An hour that is written again replaces its objects, the manifest last; all of its data must still be kept.
   *
   * @example
   * ```ts
   * const hourlyExport = await client.exports.backfill("warehouse", { from: "2026-01-01T00:00:00.000Z" });
   * ```
   */
  backfill(
    exportName: string,
    hourlyExportBackfill: HourlyExportBackfill,
    options?: CreateOptions,
  ): Promise<HourlyExport> {
    return this.#transport.call("backfillExport", { params: { exportName }, body: hourlyExportBackfill, options });
  }
}

/** Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins. */
export class TrustedIssuers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List trusted issuers.
   *
   * @example
   * ```ts
   * for await (const trustedIssuer of client.trustedIssuers.list()) console.log(trustedIssuer);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<TrustedIssuer> {
    return this.#transport.list("listTrustedIssuers", { call: {}, paging });
  }

  /**
   * Trust an issuer.
   * Tokens of the issuer whose audience, subject and claims match can be exchanged for tokens of this API, which are valid for 15 minutes.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.create({
   *   issuer: "https://token.actions.githubusercontent.com",
   *   subject: "repo:acme/shop:pull_request",
   *   role: "editor",
   *   project: "shop",
   *   branchClaim: "head_ref"
   * });
   * ```
   */
  create(trustedIssuer: TrustedIssuerCreate, options?: CreateOptions): Promise<TrustedIssuer> {
    return this.#transport.call("createTrustedIssuer", { body: trustedIssuer, options });
  }

  /**
   * Read a trusted issuer.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.get(trustedIssuerId);
   * ```
   */
  get(trustedIssuerId: string, options?: RequestOptions): Promise<TrustedIssuer> {
    return this.#transport.call("getTrustedIssuer", { params: { trustedIssuerId }, options });
  }

  /**
   * Change a trusted issuer.
   * The tokens that it issued stop working immediately. The issuer itself cannot be changed.
   *
   * @example
   * ```ts
   * const trustedIssuer = await client.trustedIssuers.update(trustedIssuerId, { subject: "repo:acme/shop:*" });
   * ```
   */
  update(trustedIssuerId: string, changes: TrustedIssuerUpdate, options?: ChangeOptions): Promise<TrustedIssuer> {
    return this.#transport.call("updateTrustedIssuer", { params: { trustedIssuerId }, body: changes, options });
  }

  /**
   * Stop trusting an issuer.
   * The tokens that it issued stop working immediately.
   *
   * @example
   * ```ts
   * await client.trustedIssuers.delete(trustedIssuerId);
   * ```
   */
  delete(trustedIssuerId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteTrustedIssuer", { params: { trustedIssuerId }, options });
  }
}

/** Signed-in browsers. For pages of the server itself; programs send the token. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the caller's invitations.
   * Of a person who signed in by mail or with the identity provider: invitations that they have not accepted. For others it is empty.
   *
   * @example
   * ```ts
   * const ownInvitations = await client.sessions.invitations();
   * ```
   */
  invitations(options?: RequestOptions): Promise<OwnInvitations> {
    return this.#transport.call("listInvitations", { options });
  }

  /**
   * Accept an invitation as the signed-in person.
   * Existing sessions of the person by mail or with the identity provider are then also valid in the account.
   *
   * @example
   * ```ts
   * const ownInvitation = await client.sessions.join("acme");
   * ```
   */
  join(invitingAccount: string, options?: CreateOptions): Promise<OwnInvitation> {
    return this.#transport.call("acceptOwnInvitation", { params: { invitingAccount }, body: {}, options });
  }

  /**
   * Decline an invitation as the signed-in person.
   * The account can invite the person again.
   *
   * @example
   * ```ts
   * await client.sessions.decline("acme");
   * ```
   */
  decline(invitingAccount: string, options?: CreateOptions): Promise<void> {
    return this.#transport.call("declineInvitation", { params: { invitingAccount }, body: {}, options });
  }

  /**
   * Read an invitation by its link.
   * Needs no token.
   *
   * @example
   * ```ts
   * const invitation = await client.sessions.invitation("tgi_0123456789abcdef0123456789abcdef_7759b50e");
   * ```
   */
  invitation(invitation: InvitationAccept["invitation"], options?: RequestOptions): Promise<Invitation> {
    return this.#transport.call("showInvitation", { body: { invitation }, isRepeatable: true, options });
  }

  /**
   * Sign in with a token.
   * Sets a cookie with the permissions of the token. It is valid for 12 hours after the last request, and at most 7 days. The `Origin` must be this server's own.
   * Needs no token.
   *
   * @example
   * ```ts
   * const createdSession = await client.sessions.create({ token: "tgt_0123456789abcdef0123456789abcdef_7759b50e" });
   * ```
   */
  create(session: SessionCreate, options?: RequestOptions): Promise<CreatedSession> {
    return this.#transport.call("createSession", { body: session, isRepeatable: true, options });
  }

  /**
   * List the sessions of the caller.
   *
   * @example
   * ```ts
   * for await (const session of client.sessions.list()) console.log(session);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Session> {
    return this.#transport.list("listSessions", { call: {}, paging });
  }

  /**
   * Accept an invitation and sign in.
   * Sets a cookie like a sign-in. The session is valid in the account of the invitation only. The `Origin` must be this server's own.
   * Needs no token.
   *
   * @example
   * ```ts
   * const createdSession = await client.sessions.accept("tgi_0123456789abcdef0123456789abcdef_7759b50e");
   * ```
   */
  accept(invitation: InvitationAccept["invitation"], options?: CreateOptions): Promise<CreatedSession> {
    return this.#transport.call("acceptInvitation", { body: { invitation }, options });
  }

  /**
   * List the sessions of an account.
   * Those of its members and its tokens.
   *
   * @example
   * ```ts
   * for await (const session of client.sessions.listOfAccount()) console.log(session);
   * ```
   */
  listOfAccount(paging: PageOptions & RequestOptions = {}): List<Session> {
    return this.#transport.list("listAccountSessions", { call: {}, paging });
  }

  /**
   * End a session of an account.
   * It ends immediately, on every node within a second.
   *
   * @example
   * ```ts
   * await client.sessions.deleteOfAccount("sess_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  deleteOfAccount(sessionId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.call("deleteAccountSession", { params: { sessionId }, options });
  }

  /**
   * Sign out.
   * `current` is the session of the request. It ends immediately, on other nodes within a second.
   *
   * @example
   * ```ts
   * await client.sessions.delete("sess_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(sessionId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.call("deleteSession", { params: { sessionId }, options });
  }

  /**
   * Show how people can sign in.
   * Needs no token.
   *
   * @example
   * ```ts
   * const signInMethods = await client.sessions.methods();
   * ```
   */
  methods(options?: RequestOptions): Promise<SignInMethods> {
    return this.#transport.call("getSignInMethods", { options });
  }

  /**
   * Send a mail to sign in with.
   * Always 202, whether the address is known or not. The mail has a link for any browser, and a code for this one; both work once, for 15 minutes. The `Origin` must be this server's own.
   * Needs no token.
   *
   * @example
   * ```ts
   * const startedSignIn = await client.sessions.sendMail({ email: "ada@acme.example" });
   * ```
   */
  sendMail(signInStart: SignInStart, options?: CreateOptions): Promise<StartedSignIn> {
    return this.#transport.call("startSignIn", { body: signInStart, options });
  }

  /**
   * Sign in with the code of a mail.
   * Only in the browser where sign-in was started, with at most 5 attempts. Sets a cookie.
   * Needs no token.
   *
   * @example
   * ```ts
   * const createdSession = await client.sessions.createWithCode({ code: "1234 5678" });
   * ```
   */
  createWithCode(signInCode: SignInCode, options?: CreateOptions): Promise<CreatedSession> {
    return this.#transport.call("signInWithCode", { body: signInCode, options });
  }

  /**
   * Sign in with the link of a mail.
   * In any browser, once. Sets a cookie.
   * Needs no token.
   *
   * @example
   * ```ts
   * const createdSession = await client.sessions.createWithLink({ link: "tgl_0123456789abcdef0123456789abcdef_7759b50e" });
   * ```
   */
  createWithLink(signInLink: SignInLink, options?: CreateOptions): Promise<CreatedSession> {
    return this.#transport.call("signInWithLink", { body: signInLink, options });
  }
}

/** The people of an account. For admins. */
export class Members {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the members of an account.
   * Also the people who are invited and have not accepted yet.
   *
   * @example
   * ```ts
   * for await (const member of client.members.list()) console.log(member);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Member> {
    return this.#transport.list("listMembers", { call: {}, paging });
  }

  /**
   * Invite a person.
   * The invitation is valid once, for 7 days. Without mail, the response has its link.
   *
   * @example
   * ```ts
   * const invitedMember = await client.members.invite({ email: "ada@acme.example", name: "Ada", role: "editor" });
   * ```
   */
  invite(memberInvite: MemberInvite, options?: CreateOptions): Promise<InvitedMember> {
    return this.#transport.call("inviteMember", { body: memberInvite, options });
  }

  /**
   * Read a member.
   *
   * @example
   * ```ts
   * const member = await client.members.get("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(memberId: string, options?: RequestOptions): Promise<Member> {
    return this.#transport.call("getMember", { params: { memberId }, options });
  }

  /**
   * Change the role or the name of a member.
   * It takes effect with the next request of each of their sessions.
   *
   * @example
   * ```ts
   * const member = await client.members.update("prsn_0QGzNqW81Kx8VhTb3mPcRdZu", { role: "reader" });
   * ```
   */
  update(memberId: string, changes: MemberUpdate, options?: ChangeOptions): Promise<Member> {
    return this.#transport.call("updateMember", { params: { memberId }, body: changes, options });
  }

  /**
   * Remove a member.
   * Their sessions in this account end immediately. The response lists the tokens that they created, which still work. Also withdraws an invitation.
   *
   * @example
   * ```ts
   * const removedMember = await client.members.remove("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  remove(memberId: string, options?: ChangeOptions): Promise<RemovedMember> {
    return this.#transport.call("removeMember", { params: { memberId }, options });
  }

  /**
   * Repeat an invitation.
   * It is valid for 7 days from now, and links from before stop working.
   *
   * @example
   * ```ts
   * const invitedMember = await client.members.inviteAgain("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  inviteAgain(memberId: string, options?: CreateOptions): Promise<InvitedMember> {
    return this.#transport.call("inviteMemberAgain", { params: { memberId }, body: {}, options });
  }

  /**
   * List the mail of an account.
   * In its name or to its members, the newest first. Kept for 30 days. Texts, links and codes are not stored.
   *
   * @example
   * ```ts
   * for await (const mail of client.members.mails()) console.log(mail);
   * ```
   */
  mails(paging: PageOptions & RequestOptions = {}): List<Mail> {
    return this.#transport.list("listMails", { call: {}, paging });
  }
}

/** Key buckets: containers for consumers and their keys. */
export class Buckets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List key buckets.
   *
   * @example
   * ```ts
   * for await (const keyBucket of client.buckets.list()) console.log(keyBucket);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<KeyBucket> {
    return this.#transport.list("listKeyBuckets", { call: {}, paging });
  }

  /**
   * Create a key bucket.
   *
   * @example
   * ```ts
   * const keyBucket = await client.buckets.create({ name: "main", keyPrefix: "acme", isRetrievable: false });
   * ```
   */
  create(keyBucket: KeyBucketCreate, options?: CreateOptions): Promise<KeyBucket> {
    return this.#transport.call("createKeyBucket", { body: keyBucket, options });
  }

  /**
   * Read a key bucket.
   *
   * @example
   * ```ts
   * const keyBucket = await client.buckets.get("main");
   * ```
   */
  get(bucketName: string, options?: RequestOptions): Promise<KeyBucket> {
    return this.#transport.call("getKeyBucket", { params: { bucketName }, options });
  }

  /**
   * Change a key bucket.
   * A given field replaces the old value, `null` clears it, an absent field is not changed.
   *
   * @example
   * ```ts
   * const keyBucket = await client.buckets.update("main", { description: "Keys of the public API" });
   * ```
   */
  update(bucketName: string, changes: KeyBucketUpdate, options?: ChangeOptions): Promise<KeyBucket> {
    return this.#transport.call("updateKeyBucket", { params: { bucketName }, body: changes, options });
  }

  /**
   * Delete a key bucket.
   *
   * @example
   * ```ts
   * await client.buckets.delete("main");
   * ```
   */
  delete(bucketName: string, { force, ...options }: DeleteBucketOptions = {}): Promise<void> {
    return this.#transport.call("deleteKeyBucket", { params: { bucketName }, query: { force }, options });
  }
}

/** The keys of all consumers of a bucket. */
export class BucketKeys {
  readonly #transport: Transport;
  readonly #params: { bucketName: string };

  constructor(transport: Transport, bucketName: string) {
    this.#transport = transport;
    this.#params = { bucketName };
  }

  /**
   * List the keys of all consumers.
   * Masked, in the order of creation. Tag conditions apply to the consumers.
   *
   * @example
   * ```ts
   * for await (const listedApiKey of client.bucketKeys("main").list()) console.log(listedApiKey);
   * ```
   */
  list({
    unusedSince,
    expiresBefore,
    createdBefore,
    permission,
    suffix,
    neverUsed,
    enabled,
    tag,
    ...paging
  }: ListBucketKeysOptions = {}): List<ListedApiKey> {
    return this.#transport.list("listBucketKeys", {
      call: {
        params: this.#params,
        query: {
          "unused-since": unusedSince,
          "expires-before": expiresBefore,
          "created-before": createdBefore,
          permission,
          suffix,
          "never-used": neverUsed,
          enabled,
          tag,
        },
      },
      paging,
    });
  }

  /**
   * Change many keys.
   * Up to 1,000 keys are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.
   *
   * @example
   * ```ts
   * const bulkKeysResult = await client.bucketKeys("main").update({ where: { "unused-since": "2026-01-01T00:00:00Z" }, set: { isEnabled: false } });
   * ```
   */
  update(changes: UpdateKeys, options?: CreateOptions): Promise<BulkKeysResult> {
    return this.#transport.call("updateKeys", { params: this.#params, body: changes, options });
  }

  /**
   * Report leaked keys.
   * Returns 202 for every valid body, in the same time: the keys among the values are looked up later. They are marked with `leak`, and disabled if the bucket's `onLeak` is `disable`. Webhooks get `key.leaked` for each.
   *
   * @example
   * ```ts
   * const jobStarted = await client.bucketKeys("main").reportLeaked({
   *   keys: [
   *     "tg_0123456789abcdef0123456789abcdef_7759b50e"
   *   ],
   *   source: "github",
   *   url: "https://github.com/acme/website/blob/main/config.js"
   * });
   * ```
   */
  reportLeaked(leakReport: LeakReport, options?: CreateOptions): Promise<JobStarted> {
    return this.#transport.call("reportLeakedKeys", { params: this.#params, body: leakReport, options });
  }

  /**
   * Delete many keys.
   * They stop working immediately. Up to 1,000 keys are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.
   *
   * @example
   * ```ts
   * const bulkKeysResult = await client.bucketKeys("main").delete({ where: { "unused-since": "2026-01-01T00:00:00Z" } });
   * ```
   */
  delete(deleteKeys: DeleteKeys, options?: CreateOptions): Promise<BulkKeysResult> {
    return this.#transport.call("deleteKeys", { params: this.#params, body: deleteKeys, options });
  }
}

/** The consumers of one key bucket: named holders of API keys. */
export class Consumers {
  readonly #transport: Transport;
  readonly #params: { bucketName: string };

  constructor(transport: Transport, bucketName: string) {
    this.#transport = transport;
    this.#params = { bucketName };
  }

  /**
   * List consumers.
   *
   * @example
   * ```ts
   * for await (const consumer of client.consumers("main").list()) console.log(consumer);
   * ```
   */
  list({
    includeApiKeys,
    includeManagers,
    includeManagerInvites,
    keyFormat,
    namePrefix,
    managerEmail,
    names,
    sort,
    tag,
    ...paging
  }: ListConsumersOptions = {}): List<Consumer> {
    return this.#transport.list("listConsumers", {
      call: {
        params: this.#params,
        query: {
          "include-api-keys": includeApiKeys,
          "include-managers": includeManagers,
          "include-manager-invites": includeManagerInvites,
          "key-format": keyFormat,
          q: namePrefix,
          "manager-email": managerEmail,
          names: names?.join(),
          sort,
          tag,
        },
      },
      paging,
    });
  }

  /**
   * Create a consumer.
   * Creates the consumer with its keys and managers, all or none. The response contains the values of the keys that were created; a bucket that does not exist is created. A tag condition is checked against the tags of the new consumer.
   *
   * @example
   * ```ts
   * const consumer = await client.consumers("main").create({
   *   name: "acme",
   *   description: "Acme Inc.",
   *   tags: {
   *     plan: "gold"
   *   },
   *   metadata: {
   *     seats: 12
   *   }
   * });
   * ```
   */
  create(
    consumer: ConsumerCreate,
    { withApiKey, adoptCustomer, tag, ...options }: CreateConsumerOptions = {},
  ): Promise<Consumer> {
    return this.#transport.call("createConsumer", {
      params: this.#params,
      query: { "with-api-key": withApiKey, "adopt-customer": adoptCustomer, tag },
      body: consumer,
      options,
    });
  }

  /**
   * Read a consumer.
   *
   * @example
   * ```ts
   * const consumer = await client.consumers("main").get("acme");
   * ```
   */
  get(
    consumerName: string,
    { includeApiKeys, includeManagers, includeManagerInvites, keyFormat, tag, ...options }: GetConsumerOptions = {},
  ): Promise<Consumer> {
    return this.#transport.call("getConsumer", {
      params: { ...this.#params, consumerName },
      query: {
        "include-api-keys": includeApiKeys,
        "include-managers": includeManagers,
        "include-manager-invites": includeManagerInvites,
        "key-format": keyFormat,
        tag,
      },
      options,
    });
  }

  /**
   * Change a consumer.
   * A given field replaces the whole old value, `null` clears it, an absent field is not changed.
   *
   * @example
   * ```ts
   * const consumer = await client.consumers("main").update("acme", { tags: { plan: "silver" }, description: null });
   * ```
   */
  update(
    consumerName: string,
    changes: ConsumerUpdate,
    { tag, ...options }: TagOptions & ChangeOptions = {},
  ): Promise<Consumer> {
    return this.#transport.call("updateConsumer", {
      params: { ...this.#params, consumerName },
      query: { tag },
      body: changes,
      options,
    });
  }

  /**
   * Delete a consumer.
   * Its keys stop working immediately; its managers and invites are deleted too.
   *
   * @example
   * ```ts
   * await client.consumers("main").delete("acme");
   * ```
   */
  delete(consumerName: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteConsumer", {
      params: { ...this.#params, consumerName },
      query: { tag },
      options,
    });
  }

  /**
   * Change many consumers.
   * Up to 1,000 consumers are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.
   *
   * @example
   * ```ts
   * const bulkConsumersResult = await client.consumers("main").updateMany({ where: { "tag.plan": "silver" }, set: { addTags: { plan: "gold" } } });
   * ```
   */
  updateMany(updateConsumers: UpdateConsumers, options?: CreateOptions): Promise<BulkConsumersResult> {
    return this.#transport.call("updateConsumers", { params: this.#params, body: updateConsumers, options });
  }

  /**
   * Delete many consumers.
   * Their keys stop working immediately; their managers and invites are deleted too. Up to 1,000 consumers are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.
   *
   * @example
   * ```ts
   * const bulkConsumersResult = await client.consumers("main").deleteMany({ names: [ "acme" ] });
   * ```
   */
  deleteMany(deleteConsumers: DeleteConsumers, options?: CreateOptions): Promise<BulkConsumersResult> {
    return this.#transport.call("deleteConsumers", { params: this.#params, body: deleteConsumers, options });
  }
}

/** The API keys of one consumer. */
export class KeysCalls {
  protected readonly transport: Transport;
  protected readonly params: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.transport = transport;
    this.params = { bucketName, consumerName };
  }

  /**
   * List the keys of a consumer.
   *
   * @example
   * ```ts
   * for await (const apiKey of client.keys("main", "acme").list()) console.log(apiKey);
   * ```
   */
  list({ keyFormat, tag, ...paging }: ListKeysOptions = {}): List<ApiKey> {
    return this.transport.list("listKeys", {
      call: { params: this.params, query: { "key-format": keyFormat, tag } },
      paging,
    });
  }

  /**
   * Create a key.
   * The response contains its value.
   *
   * @example
   * ```ts
   * const apiKey = await client.keys("main", "acme").create({
   *   description: "production",
   *   permissions: [
   *     "orders:*",
   *     "invoices:read"
   *   ],
   *   allowedIps: [
   *     "192.0.2.0/24",
   *     "2001:db8::/32"
   *   ],
   *   rateLimit: {
   *     requests: 600,
   *     windowSeconds: 60
   *   },
   *   metadata: {
   *     environment: "production"
   *   }
   * });
   * ```
   */
  create(apiKey: ApiKeyCreate = {}, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<ApiKey> {
    return this.transport.call("createKey", { params: this.params, query: { tag }, body: apiKey, options });
  }

  /**
   * Read a key.
   *
   * @example
   * ```ts
   * const apiKey = await client.keys("main", "acme").get(keyId);
   * ```
   */
  get(keyId: string, { keyFormat, tag, ...options }: GetKeyOptions = {}): Promise<ApiKey> {
    return this.transport.call("getKey", {
      params: { ...this.params, keyId },
      query: { "key-format": keyFormat, tag },
      options,
    });
  }

  /**
   * Change a key.
   * A new value replaces the old one immediately. `null` clears an optional field.
   *
   * @example
   * ```ts
   * const apiKey = await client.keys("main", "acme").update(keyId, { expiresOn: "2027-01-31T10:00:00Z" });
   * ```
   */
  update(keyId: string, changes: ApiKeyUpdate, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<ApiKey> {
    return this.transport.call("updateKey", {
      params: { ...this.params, keyId },
      query: { tag },
      body: changes,
      options,
    });
  }

  /**
   * Delete a key.
   *
   * @example
   * ```ts
   * await client.keys("main", "acme").delete(keyId);
   * ```
   */
  delete(keyId: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.transport.call("deleteKey", { params: { ...this.params, keyId }, query: { tag }, options });
  }

  /**
   * Create up to 1,000 keys, all or none.
   * A single object counts as a list of one. The response contains their values, in the order of the request.
   *
   * @example
   * ```ts
   * const data = await client.keys("main", "acme").createMany([ { description: "production" } ]);
   * ```
   */
  async createMany(
    items: ApiKeyCreate[] | ApiKeyCreate,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<ApiKeyList["data"]> {
    return (await this.transport.call("createKeys", { params: this.params, query: { tag }, body: items, options }))
      .data;
  }

  /**
   * Roll one key.
   * Creates a key without an expiry that has the description, `permissions`, `allowedIps`, `rateLimit` and `metadata` of this one, and sets the expiry of this one. An earlier expiry is kept. The response has the new key with its value.
   *
   * @example
   * ```ts
   * const apiKey = await client.keys("main", "acme").rollOne(keyId, { expiresOn: "2026-03-01T00:00:00Z" });
   * ```
   */
  rollOne(
    keyId: string,
    rollOneKey: RollOneKey,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<ApiKey> {
    return this.transport.call("rollOneKey", {
      params: { ...this.params, keyId },
      query: { tag },
      body: rollOneKey,
      options,
    });
  }
}

/** The people who manage the keys of one consumer. */
export class Managers {
  readonly #transport: Transport;
  readonly #params: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#params = { bucketName, consumerName };
  }

  /**
   * List the managers of a consumer.
   *
   * @example
   * ```ts
   * for await (const manager of client.managers("main", "acme").list()) console.log(manager);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<Manager> {
    return this.#transport.list("listManagers", { call: { params: this.#params, query: { tag } }, paging });
  }

  /**
   * Add a manager.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").add({ sub: "auth0|5f7c8ec7c33c6c004bbafe82", email: "jo@acme.example" });
   * ```
   */
  add(manager: ManagerCreate, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<Manager> {
    return this.#transport.call("addManager", { params: this.#params, query: { tag }, body: manager, options });
  }

  /**
   * Read a manager.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").get(managerId);
   * ```
   */
  get(managerId: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<Manager> {
    return this.#transport.call("getManager", { params: { ...this.#params, managerId }, query: { tag }, options });
  }

  /**
   * Change what a manager may do in the portal.
   *
   * @example
   * ```ts
   * const manager = await client.managers("main", "acme").update(managerId, { scopes: [ "usage:read" ] });
   * ```
   */
  update(
    managerId: string,
    changes: ManagerUpdate,
    { tag, ...options }: TagOptions & ChangeOptions = {},
  ): Promise<Manager> {
    return this.#transport.call("updateManager", {
      params: { ...this.#params, managerId },
      query: { tag },
      body: changes,
      options,
    });
  }

  /**
   * Remove a manager.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").delete(managerId);
   * ```
   */
  delete(managerId: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteManager", { params: { ...this.#params, managerId }, query: { tag }, options });
  }
}

/** Invitations of email addresses to become managers of one consumer. */
export class ManagerInvites {
  readonly #transport: Transport;
  readonly #params: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#params = { bucketName, consumerName };
  }

  /**
   * List the pending invites of a consumer.
   *
   * @example
   * ```ts
   * for await (const managerInvite of client.managerInvites("main", "acme").list()) console.log(managerInvite);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<ManagerInvite> {
    return this.#transport.list("listManagerInvites", { call: { params: this.#params, query: { tag } }, paging });
  }

  /**
   * Invite a manager.
   * The invite is valid for seven days.
   *
   * @example
   * ```ts
   * const managerInvite = await client.managerInvites("main", "acme").create({ email: "jo@acme.example" });
   * ```
   */
  create(
    managerInvite: ManagerInviteCreate,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<ManagerInvite> {
    return this.#transport.call("inviteManager", {
      params: this.#params,
      query: { tag },
      body: managerInvite,
      options,
    });
  }

  /**
   * Read an invite.
   *
   * @example
   * ```ts
   * const managerInvite = await client.managerInvites("main", "acme").get(inviteId);
   * ```
   */
  get(inviteId: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<ManagerInvite> {
    return this.#transport.call("getManagerInvite", { params: { ...this.#params, inviteId }, query: { tag }, options });
  }

  /**
   * Withdraw an invite.
   *
   * @example
   * ```ts
   * await client.managerInvites("main", "acme").delete(inviteId);
   * ```
   */
  delete(inviteId: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteManagerInvite", {
      params: { ...this.#params, inviteId },
      query: { tag },
      options,
    });
  }

  /**
   * Accept an invite.
   *
   * @example
   * ```ts
   * const manager = await client.managerInvites("main", "acme").accept(inviteId, { sub: "auth0|5f7c8ec7c33c6c004bbafe82" });
   * ```
   */
  accept(
    inviteId: string,
    managerInviteAccept: ManagerInviteAccept,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<Manager> {
    return this.#transport.call("acceptManagerInvite", {
      params: { ...this.#params, inviteId },
      query: { tag },
      body: managerInviteAccept,
      options,
    });
  }
}

/** The portal of a key bucket: the site where its customers manage their keys and see their usage. */
export class PortalResource {
  readonly #transport: Transport;
  readonly #params: { bucketName: string };

  constructor(transport: Transport, bucketName: string) {
    this.#transport = transport;
    this.#params = { bucketName };
  }

  /**
   * List the OAuth clients of a portal.
   *
   * @example
   * ```ts
   * for await (const oAuthClient of client.portal("main").oauthClients()) console.log(oAuthClient);
   * ```
   */
  oauthClients(paging: PageOptions & RequestOptions = {}): List<OAuthClient> {
    return this.#transport.list("listOAuthClients", { call: { params: this.#params }, paging });
  }

  /**
   * Create an OAuth client.
   * For a program that every customer may authorize. It has no secret: PKCE protects its codes.
   *
   * @example
   * ```ts
   * const oAuthClient = await client.portal("main").createOAuthClient({ name: "Weather CLI", redirectUris: [ "http://127.0.0.1/callback" ] });
   * ```
   */
  createOAuthClient(oAuthClient: OAuthClientInput, options?: CreateOptions): Promise<OAuthClient> {
    return this.#transport.call("createOAuthClient", { params: this.#params, body: oAuthClient, options });
  }

  /**
   * Read an OAuth client.
   *
   * @example
   * ```ts
   * const oAuthClient = await client.portal("main").oauthClient("oac_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  oauthClient(oauthClientId: string, options?: RequestOptions): Promise<OAuthClient> {
    return this.#transport.call("getOAuthClient", { params: { ...this.#params, oauthClientId }, options });
  }

  /**
   * Change the name or the redirect addresses of an OAuth client.
   * Only of a client with the type `registered`.
   *
   * @example
   * ```ts
   * const oAuthClient = await client.portal("main").updateOAuthClient("oac_0QGzNqW81Kx8VhTb3mPcRdZu", { name: "Weather CLI" });
   * ```
   */
  updateOAuthClient(
    oauthClientId: string,
    oAuthClientPatch: OAuthClientPatch,
    options?: ChangeOptions,
  ): Promise<OAuthClient> {
    return this.#transport.call("updateOAuthClient", {
      params: { ...this.#params, oauthClientId },
      body: oAuthClientPatch,
      options,
    });
  }

  /**
   * Delete an OAuth client.
   * Its authorizations end immediately.
   *
   * @example
   * ```ts
   * await client.portal("main").deleteOAuthClient("oac_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  deleteOAuthClient(oauthClientId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteOAuthClient", { params: { ...this.#params, oauthClientId }, options });
  }

  /**
   * List what customers have authorized.
   * The newest first. Those that have ended are not listed.
   *
   * @example
   * ```ts
   * for await (const authorization of client.portal("main").authorizations()) console.log(authorization);
   * ```
   */
  authorizations({ consumerName, clientId, ...paging }: ListAuthorizationsOptions = {}): List<Authorization> {
    return this.#transport.list("listAuthorizations", {
      call: { params: this.#params, query: { consumerName, clientId } },
      paging,
    });
  }

  /**
   * Read an authorization.
   *
   * @example
   * ```ts
   * const authorization = await client.portal("main").authorization("auth_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  authorization(authorizationId: string, options?: RequestOptions): Promise<Authorization> {
    return this.#transport.call("getAuthorization", { params: { ...this.#params, authorizationId }, options });
  }

  /**
   * End an authorization.
   * Requests with its tokens fail immediately.
   *
   * @example
   * ```ts
   * await client.portal("main").endAuthorization("auth_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  endAuthorization(authorizationId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("endAuthorization", { params: { ...this.#params, authorizationId }, options });
  }

  /**
   * Sign access tokens with a new key.
   * Returns the public keys. Keys are also rotated every 90 days.
   *
   * @example
   * ```ts
   * const jsonWebKeySet = await client.portal("main").rotateOAuthKey({ revokesTokens: false });
   * ```
   */
  rotateOAuthKey(oAuthKeyRotation: OAuthKeyRotation = {}, options?: CreateOptions): Promise<JsonWebKeySet> {
    return this.#transport.call("rotateOAuthKey", { params: this.#params, body: oAuthKeyRotation, options });
  }

  /**
   * Read the portal of a key bucket.
   *
   * @example
   * ```ts
   * const portal = await client.portal("main").get();
   * ```
   */
  get(options?: RequestOptions): Promise<Portal> {
    return this.#transport.call("getPortal", { params: this.#params, options });
  }

  /**
   * Create the portal of a key bucket, or replace its settings.
   * Fields that are left out get their defaults. Applies to the next request.
   *
   * @example
   * ```ts
   * const portal = await client.portal("main").set({
   *   isEnabled: true,
   *   title: "Acme Weather",
   *   description: "Forecasts for every place on earth, as an API.",
   *   accentColor: "#2456d6",
   *   deployments: [],
   *   signUp: "closed",
   *   keyLimit: 10,
   *   isReferencePublic: true,
   *   returnOrigins: [
   *     "https://app.acme.example"
   *   ],
   *   links: [
   *     {
   *       label: "Status",
   *       url: "https://status.acme.example"
   *     }
   *   ]
   * });
   * ```
   */
  set(portal: PortalUpdate, options?: ChangeOptions): Promise<Portal> {
    return this.#transport.call("setPortal", { params: this.#params, body: portal, options });
  }

  /**
   * Delete the portal of a key bucket.
   * Its sessions end immediately. Consumers and keys stay as they are.
   *
   * @example
   * ```ts
   * await client.portal("main").delete();
   * ```
   */
  delete(options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePortal", { params: this.#params, options });
  }

  /**
   * Hand a customer over to the portal.
   * For customers who are signed in at your own site. Redirect their browser to `url`, which works once and for two minutes. The session has the given scopes, and never more than your token: a reader can grant the `:read` ones only.
   *
   * @example
   * ```ts
   * const portalHandoff = await client.portal("main").handOff({
   *   consumerName: "acme",
   *   subject: "user-4711",
   *   scopes: [
   *     "keys:read",
   *     "keys:write",
   *     "usage:read",
   *     "requests:read"
   *   ]
   * });
   * ```
   */
  handOff(portalSession: PortalSessionCreate, options?: CreateOptions): Promise<PortalHandoff> {
    return this.#transport.call("createPortalSession", { params: this.#params, body: portalSession, options });
  }

  /**
   * View the portal as a customer.
   * The session can change nothing. The audit log shows who viewed the portal, and as which customer.
   *
   * @example
   * ```ts
   * const portalHandoff = await client.portal("main").view("acme");
   * ```
   */
  view(consumerName: PortalView["consumerName"], options?: CreateOptions): Promise<PortalHandoff> {
    return this.#transport.call("viewPortal", { params: this.#params, body: { consumerName }, options });
  }

  /**
   * Preview the portal with other settings.
   * Returns what its pages would begin with, for visitors and for a new customer. Changes nothing. Names of deployments, plans and metering buckets that do not exist are ignored.
   *
   * @example
   * ```ts
   * const portalPreview = await client.portal("main").preview({
   *   title: "Acme Weather",
   *   accentColor: "#2456d6",
   *   signUp: "open",
   *   isReferencePublic: true
   * });
   * ```
   */
  preview(portalPreview: PortalPreviewCreate, options?: RequestOptions): Promise<PortalPreview> {
    return this.#transport.call("previewPortal", {
      params: this.#params,
      body: portalPreview,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Preview a mail to customers with other texts.
   * With invented data. Changes and sends nothing.
   *
   * @example
   * ```ts
   * const portalMailPreview = await client.portal("main").previewMail({ kind: "invoice", greeting: "Hello from Acme," });
   * ```
   */
  previewMail(portalMailPreview: PortalMailPreviewCreate, options?: RequestOptions): Promise<PortalMailPreview> {
    return this.#transport.call("previewPortalMail", {
      params: this.#params,
      body: portalMailPreview,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Show how far the customers who signed up have come.
   * From the sign-up to a key, the first successful request, and being active or having stopped.
   *
   * @example
   * ```ts
   * const portalFunnel = await client.portal("main").funnel();
   * ```
   */
  funnel({ stage, ...options }: PortalFunnelOptions = {}): Promise<PortalFunnel> {
    return this.#transport.call("getPortalFunnel", { params: this.#params, query: { stage }, options });
  }

  /**
   * List requests for access to a portal.
   *
   * @example
   * ```ts
   * for await (const accessRequest of client.portal("main").accessRequests()) console.log(accessRequest);
   * ```
   */
  accessRequests({ state, ...paging }: ListAccessRequestsOptions = {}): List<AccessRequest> {
    return this.#transport.list("listAccessRequests", { call: { params: this.#params, query: { state } }, paging });
  }

  /**
   * Record a request for access.
   * For requests that arrive elsewhere, such as in a form on your own site. Returns the person's request if there is one already.
   *
   * @example
   * ```ts
   * const accessRequest = await client.portal("main").requestAccess({ email: "jo@acme.example", name: "Acme" });
   * ```
   */
  requestAccess(accessRequest: AccessRequestCreate, options?: CreateOptions): Promise<AccessRequest> {
    return this.#transport.call("createAccessRequest", { params: this.#params, body: accessRequest, options });
  }

  /**
   * Approve a request for access.
   * Creates the consumer with its subscription, and tells the person by mail.
   *
   * @example
   * ```ts
   * const accessRequest = await client.portal("main").approve("preq_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  approve(accessRequestId: string, options?: CreateOptions): Promise<AccessRequest> {
    return this.#transport.call("approveAccessRequest", {
      params: { ...this.#params, accessRequestId },
      body: {},
      options,
    });
  }

  /**
   * Deny a request for access.
   *
   * @example
   * ```ts
   * const accessRequest = await client.portal("main").deny("preq_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  deny(accessRequestId: string, options?: CreateOptions): Promise<AccessRequest> {
    return this.#transport.call("denyAccessRequest", {
      params: { ...this.#params, accessRequestId },
      body: {},
      options,
    });
  }
}

/** Metering buckets: containers for plans, subscriptions and usage. */
export class Metering {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List metering buckets.
   *
   * @example
   * ```ts
   * for await (const meteringBucket of client.metering.list()) console.log(meteringBucket);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<MeteringBucket> {
    return this.#transport.list("listMeteringBuckets", { call: {}, paging });
  }

  /**
   * Create a metering bucket.
   *
   * @example
   * ```ts
   * const meteringBucket = await client.metering.create({});
   * ```
   */
  create(meteringBucket: MeteringBucketCreate = {}, options?: CreateOptions): Promise<MeteringBucket> {
    return this.#transport.call("createMeteringBucket", { body: meteringBucket, options });
  }

  /**
   * Read a metering bucket.
   *
   * @example
   * ```ts
   * const meteringBucket = await client.metering.get(bucketId);
   * ```
   */
  get(bucketId: string, options?: RequestOptions): Promise<MeteringBucket> {
    return this.#transport.call("getMeteringBucket", { params: { bucketId }, options });
  }

  /**
   * Change a metering bucket.
   * `null` clears its name or its key bucket. Paths and gateway projects with the old name no longer work.
   *
   * @example
   * ```ts
   * const meteringBucket = await client.metering.update(bucketId, { name: "shop" });
   * ```
   */
  update(bucketId: string, changes: MeteringBucketUpdate, options?: ChangeOptions): Promise<MeteringBucket> {
    return this.#transport.call("updateMeteringBucket", { params: { bucketId }, body: changes, options });
  }

  /**
   * Delete a metering bucket.
   *
   * @example
   * ```ts
   * await client.metering.delete(bucketId);
   * ```
   */
  delete(bucketId: string, { force, ...options }: DeleteBucketOptions = {}): Promise<void> {
    return this.#transport.call("deleteMeteringBucket", { params: { bucketId }, query: { force }, options });
  }

  /**
   * List subscriptions by the used share of their quotas.
   * Active and trialing subscriptions in their current periods, the largest share first. If `max` is 0, any usage is a share of 1. In a bucket with more than 2,000 subscriptions, the order is computed in the background, and `rankedOn` says when: a subscription that was renewed since then is listed where it was, with its present share, and one that ended is omitted. Not with `meter`.
   *
   * @example
   * ```ts
   * for await (const usageShare of client.metering.usage(bucketId)) console.log(usageShare);
   * ```
   */
  usage(bucketId: string, { near, meter, customerKeys, rankedOn, ...paging }: ListUsageOptions = {}): List<UsageShare> {
    return this.#transport.list("listUsage", {
      call: {
        params: { bucketId },
        query: { near: near?.toString(), meter, customerKeys: customerKeys?.join(), rankedOn },
      },
      paging,
    });
  }

  /**
   * List subscriptions by the used share of their quotas as CSV, one text per page.
   * Active and trialing subscriptions in their current periods, the largest share first. If `max` is 0, any usage is a share of 1. In a bucket with more than 2,000 subscriptions, the order is computed in the background, and `rankedOn` says when: a subscription that was renewed since then is listed where it was, with its present share, and one that ended is omitted. Not with `meter`.
   *
   * @example
   * ```ts
   * for await (const text of client.metering.usageCsv(bucketId)) process.stdout.write(text);
   * ```
   */
  usageCsv(
    bucketId: string,
    { near, meter, customerKeys, rankedOn, ...paging }: ListUsageOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listUsage", {
      call: {
        params: { bucketId },
        query: { near: near?.toString(), meter, customerKeys: customerKeys?.join(), rankedOn },
      },
      paging,
    });
  }

  /**
   * Settle a hold.
   * Counts what was used instead of what verify-key held, in the period of the hold, until 24 hours after its expiry. Settling again with the same amounts changes nothing; with others it is a 409, as after `$release`.
   *
   * @example
   * ```ts
   * const settledHold = await client.metering.settleHold(bucketId, "hold_0QGzNqW81Kx8VhTb3mPcRdZu", { requests: 3 });
   * ```
   */
  settleHold(
    bucketId: string,
    holdId: string,
    meters: SettleHold["meters"],
    options?: CreateOptions,
  ): Promise<SettledHold> {
    return this.#transport.call("settleHold", { params: { bucketId, holdId }, body: { meters }, options });
  }

  /**
   * Release a hold.
   * Returns all that verify-key held. Repeating it changes nothing; after `$settle` it is a 409.
   *
   * @example
   * ```ts
   * await client.metering.releaseHold(bucketId, "hold_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  releaseHold(bucketId: string, holdId: string, options?: CreateOptions): Promise<void> {
    return this.#transport.call("releaseHold", { params: { bucketId, holdId }, options });
  }

  /**
   * Compare the counters with the events.
   *
   * @example
   * ```ts
   * const reconciliation = await client.metering.reconcile(bucketId);
   * ```
   */
  reconcile(bucketId: string, { from, to, ...options }: ReconcileOptions = {}): Promise<Reconciliation> {
    return this.#transport.call("reconcileUsage", { params: { bucketId }, query: { from, to }, options });
  }

  /**
   * List the mail of a test bucket.
   * It is stored for inspection, and never sent. Other buckets have none here.
   *
   * @example
   * ```ts
   * for await (const testMail of client.metering.testMails(bucketId)) console.log(testMail);
   * ```
   */
  testMails(bucketId: string, paging: PageOptions & RequestOptions = {}): List<TestMail> {
    return this.#transport.list("listTestMails", { call: { params: { bucketId } }, paging });
  }

  /**
   * Move the time of a test bucket.
   * Forward only. Each step of billing that is due happens at its time, in order. After a failure, repeat the request, also with the same `Idempotency-Key`: it continues where it ended. A long move writes several `metering-bucket.updated` entries to the audit log.
   *
   * @example
   * ```ts
   * const meteringBucket = await client.metering.moveClock(bucketId, "2026-03-01T00:00:00.000Z");
   * ```
   */
  moveClock(bucketId: string, now: ClockMove["now"], options?: CreateOptions): Promise<MeteringBucket> {
    return this.#transport.call("moveClock", { params: { bucketId }, body: { now }, options });
  }
}

/** The plans of one metering bucket: the limits of subscribers. */
export class Plans {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List plans.
   *
   * @example
   * ```ts
   * for await (const plan of client.plans(bucketId).list()) console.log(plan);
   * ```
   */
  list({ planExternalId, ...paging }: ListPlansOptions = {}): List<Plan> {
    return this.#transport.list("listPlans", { call: { params: this.#params, query: { planExternalId } }, paging });
  }

  /**
   * Create a plan.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).create({
   *   label: "Gold",
   *   planExternalId: "price_gold",
   *   meters: {
   *     requests: {
   *       label: "Requests",
   *       max: 100000
   *     }
   *   }
   * });
   * ```
   */
  create(plan: PlanCreate, options?: CreateOptions): Promise<Plan> {
    return this.#transport.call("createPlan", { params: this.#params, body: plan, options });
  }

  /**
   * Read a plan.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).get(planId);
   * ```
   */
  get(planId: string, options?: RequestOptions): Promise<Plan> {
    return this.#transport.call("getPlan", { params: { ...this.#params, planId }, options });
  }

  /**
   * Change a plan.
   * Meters apply immediately, also to existing subscriptions. `null` clears an optional field.
   *
   * @example
   * ```ts
   * const plan = await client.plans(bucketId).update(planId, { meters: { requests: { label: "Requests", max: 200000 } } });
   * ```
   */
  update(planId: string, changes: PlanUpdate, options?: ChangeOptions): Promise<Plan> {
    return this.#transport.call("updatePlan", { params: { ...this.#params, planId }, body: changes, options });
  }

  /**
   * Delete a plan.
   *
   * @example
   * ```ts
   * await client.plans(bucketId).delete(planId);
   * ```
   */
  delete(planId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePlan", { params: { ...this.#params, planId }, options });
  }
}

/** The subscriptions of one metering bucket: customers and their plans. */
export class Subscriptions {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List subscriptions.
   *
   * @example
   * ```ts
   * for await (const subscription of client.subscriptions(bucketId).list()) console.log(subscription);
   * ```
   */
  list({
    customerKey,
    subscriptionExternalId,
    planId,
    status,
    ...paging
  }: ListSubscriptionsOptions = {}): List<Subscription> {
    return this.#transport.list("listSubscriptions", {
      call: { params: this.#params, query: { customerKey, subscriptionExternalId, planId, status } },
      paging,
    });
  }

  /**
   * Create a subscription.
   *
   * @example
   * ```ts
   * const createdSubscription = await client.subscriptions(bucketId).create({
   *   planIds: [
   *     "plan_0QGzNqW81Kx8VhTb3mPcRdZu"
   *   ],
   *   planExternalIds: [
   *     "price_gold"
   *   ],
   *   status: "active",
   *   type: "periodic",
   *   renewalStrategy: "monthly",
   *   region: "europe-west4",
   *   customerKey: "acme",
   *   subscriptionExternalId: "sub_1",
   *   customerExternalId: "cus_1"
   * });
   * ```
   */
  create(subscription: SubscriptionCreate, options?: CreateOptions): Promise<CreatedSubscription> {
    return this.#transport.call("createSubscription", { params: this.#params, body: subscription, options });
  }

  /**
   * Read a subscription.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).get(subscriptionId);
   * ```
   */
  get(subscriptionId: string, options?: RequestOptions): Promise<Subscription> {
    return this.#transport.call("getSubscription", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Change a subscription.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).update(subscriptionId, { status: "canceled" });
   * ```
   */
  update(subscriptionId: string, changes: SubscriptionUpdate, options?: ChangeOptions): Promise<Subscription> {
    return this.#transport.call("updateSubscription", {
      params: { ...this.#params, subscriptionId },
      body: changes,
      options,
    });
  }

  /**
   * Delete a subscription with its usage.
   *
   * @example
   * ```ts
   * await client.subscriptions(bucketId).delete(subscriptionId);
   * ```
   */
  delete(subscriptionId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteSubscription", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Preview a change of plans.
   * Changes nothing. Returns the same errors as the change itself.
   *
   * @example
   * ```ts
   * const planChangePreview = await client.subscriptions(bucketId).preview(subscriptionId, { planExternalIds: [ "price_gold" ], prorate: 0.5 });
   * ```
   */
  preview(subscriptionId: string, planChange: PlanChange, options?: RequestOptions): Promise<PlanChangePreview> {
    return this.#transport.call("previewPlanChange", {
      params: { ...this.#params, subscriptionId },
      body: planChange,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Preview the next invoice of a subscription.
   * What will be billed if nothing more is used. Returns 404 if there will be no invoice.
   *
   * @example
   * ```ts
   * const upcomingInvoice = await client.subscriptions(bucketId).upcomingInvoice(subscriptionId);
   * ```
   */
  upcomingInvoice(subscriptionId: string, options?: RequestOptions): Promise<UpcomingInvoice> {
    return this.#transport.call("getUpcomingInvoice", { params: { ...this.#params, subscriptionId }, options });
  }

  /**
   * Change the plans of a subscription.
   * By default now if the total fee rises, otherwise at the end of the paid period. A change now credits the unused rest of the old fee and charges the new one for the rest of the period.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).change(subscriptionId, { planExternalIds: [ "price_gold" ] });
   * ```
   */
  change(
    subscriptionId: string,
    subscriptionChange: SubscriptionChange,
    options?: CreateOptions,
  ): Promise<Subscription> {
    return this.#transport.call("changeSubscriptionPlans", {
      params: { ...this.#params, subscriptionId },
      body: subscriptionChange,
      options,
    });
  }

  /**
   * Preview a change of plans.
   * Returns when it would happen and the invoice that it would create. Nothing is changed.
   *
   * @example
   * ```ts
   * const subscriptionChangePreview = await client.subscriptions(bucketId).previewChange(subscriptionId, { planExternalIds: [ "price_gold" ] });
   * ```
   */
  previewChange(
    subscriptionId: string,
    subscriptionChange: SubscriptionChange,
    options?: RequestOptions,
  ): Promise<SubscriptionChangePreview> {
    return this.#transport.call("previewSubscriptionChange", {
      params: { ...this.#params, subscriptionId },
      body: subscriptionChange,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Cancel a subscription.
   * At the end of the paid period, or now. Refunds nothing unless `refund` is set.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).cancel(subscriptionId, { timing: "period-end" });
   * ```
   */
  cancel(
    subscriptionId: string,
    subscriptionCancel: SubscriptionCancel = {},
    options?: CreateOptions,
  ): Promise<Subscription> {
    return this.#transport.call("cancelSubscription", {
      params: { ...this.#params, subscriptionId },
      body: subscriptionCancel,
      options,
    });
  }

  /**
   * Resume a paused subscription, or undo a cancellation.
   * A period that is paid for continues; otherwise the fee is charged for the rest of the current period. A cancellation is undone until the end of the period.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).resume(subscriptionId);
   * ```
   */
  resume(subscriptionId: string, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("resumeSubscription", {
      params: { ...this.#params, subscriptionId },
      body: {},
      options,
    });
  }

  /**
   * Pause a subscription.
   * The status is `inactive` from now on: nothing is allowed, and nothing is billed until `$resume`. What was used before is billed; the rest of the period is not refunded.
   *
   * @example
   * ```ts
   * const subscription = await client.subscriptions(bucketId).pause(subscriptionId);
   * ```
   */
  pause(subscriptionId: string, options?: CreateOptions): Promise<Subscription> {
    return this.#transport.call("pauseSubscription", {
      params: { ...this.#params, subscriptionId },
      body: {},
      options,
    });
  }

  /**
   * Sell plans to a customer.
   * Creates a subscription that is `incomplete` until it is paid, and `incomplete-expired` after 24 hours. Send the customer to `url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if nothing is to be paid, if the customer's payment method has paid, or if you mark invoices as paid yourself. Replaces free subscriptions of the customer.
   *
   * @example
   * ```ts
   * const purchasedSubscription = await client.subscriptions(bucketId).purchase({
   *   customerKey: "acme",
   *   planExternalIds: [
   *     "price_gold"
   *   ],
   *   returnUrl: "https://app.example.com/billing"
   * });
   * ```
   */
  purchase(subscriptionPurchase: SubscriptionPurchase, options?: CreateOptions): Promise<PurchasedSubscription> {
    return this.#transport.call("purchaseSubscription", { params: this.#params, body: subscriptionPurchase, options });
  }
}

/** The usage of one subscription. */
export class SubscriptionUsage {
  readonly #transport: Transport;
  readonly #params: { bucketId: string; subscriptionId: string };

  constructor(transport: Transport, bucketId: string, subscriptionId: string) {
    this.#transport = transport;
    this.#params = { bucketId, subscriptionId };
  }

  /**
   * Read the usage of a period.
   *
   * @example
   * ```ts
   * const usage = await client.usage(bucketId, subscriptionId).get();
   * ```
   */
  get({ at, ...options }: GetUsageOptions = {}): Promise<Usage> {
    return this.#transport.call("getUsage", { params: this.#params, query: { at }, options });
  }

  /**
   * Read the usage of each period.
   * Oldest first, at most 120 periods, from the first in which the subscription existed or was used, including periods without usage. A past period has the maximum that applied when it ended.
   *
   * @example
   * ```ts
   * const data = await client.usage(bucketId, subscriptionId).history();
   * ```
   */
  async history({ from, to, ...options }: UsageHistoryOptions = {}): Promise<UsageHistory["data"]> {
    return (await this.#transport.call("getUsageHistory", { params: this.#params, query: { from, to }, options })).data;
  }

  /**
   * Read usage by hour or day.
   * By default in the current period, where the points add up to its usage. A step in which a period ends has two points. At most 50,000 points of all meters together.
   *
   * @example
   * ```ts
   * const usageSeries = await client.usage(bucketId, subscriptionId).series();
   * ```
   */
  series({ from, to, step, meter, ...options }: UsageSeriesOptions = {}): Promise<UsageSeries> {
    return this.#transport.call("getUsageSeries", { params: this.#params, query: { from, to, step, meter }, options });
  }

  /**
   * Read usage by hour or day as CSV.
   * By default in the current period, where the points add up to its usage. A step in which a period ends has two points. At most 50,000 points of all meters together.
   *
   * @example
   * ```ts
   * const text = await client.usage(bucketId, subscriptionId).seriesCsv();
   * ```
   */
  seriesCsv({ from, to, step, meter, ...options }: UsageSeriesOptions = {}): Promise<string> {
    return this.#transport.text(
      "getUsageSeries",
      { params: this.#params, query: { from, to, step, meter }, options },
      "text/csv",
    );
  }

  /**
   * Consume from the quota, all or nothing.
   * Takes all of the amounts or none, see `allowed`. A subscription that is neither active nor trialing allows nothing.
   *
   * @example
   * ```ts
   * const consumedQuota = await client.usage(bucketId, subscriptionId).consume({ requests: 1 });
   * ```
   */
  consume(meters: ConsumeQuota["meters"], options?: CreateOptions): Promise<ConsumedQuota> {
    return this.#transport.call("consumeQuota", { params: this.#params, body: { meters }, options });
  }
}

/** The customers of one metering bucket: who pays for its subscriptions. */
export class Customers {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List customers.
   *
   * @example
   * ```ts
   * for await (const customer of client.customers(bucketId).list()) console.log(customer);
   * ```
   */
  list({ customerKeys, sort, ...paging }: ListCustomersOptions = {}): List<Customer> {
    return this.#transport.list("listCustomers", {
      call: { params: this.#params, query: { customerKeys: customerKeys?.join(), sort } },
      paging,
    });
  }

  /**
   * Read a customer.
   * A customer exists from the first subscription of its `customerKey` on.
   *
   * @example
   * ```ts
   * const customer = await client.customers(bucketId).get("acme");
   * ```
   */
  get(customerKey: string, options?: RequestOptions): Promise<Customer> {
    return this.#transport.call("getCustomer", { params: { ...this.#params, customerKey }, options });
  }

  /**
   * Change a customer.
   * Finalized invoices keep the customer as it was. New caps apply to usage from now on. `null` clears a field.
   *
   * @example
   * ```ts
   * const customer = await client.customers(bucketId).update("acme", { email: "billing@acme.example", legalName: "Acme GmbH" });
   * ```
   */
  update(customerKey: string, changes: CustomerUpdate, options?: ChangeOptions): Promise<Customer> {
    return this.#transport.call("updateCustomer", { params: { ...this.#params, customerKey }, body: changes, options });
  }

  /**
   * Set the sandbox payment method of a customer.
   * Returns 409 if Stripe collects the invoices of the bucket: the customer sets the method there.
   *
   * @example
   * ```ts
   * const customer = await client.customers(bucketId).setPaymentMethod("acme", { type: "sandbox", behavior: "succeeds" });
   * ```
   */
  setPaymentMethod(customerKey: string, paymentMethod: PaymentMethodInput, options?: ChangeOptions): Promise<Customer> {
    return this.#transport.call("setPaymentMethod", {
      params: { ...this.#params, customerKey },
      body: paymentMethod,
      options,
    });
  }

  /**
   * Remove the payment method of a customer.
   * Returns 409 if it is a method at Stripe, which would keep charging it: the customer removes it there.
   *
   * @example
   * ```ts
   * await client.customers(bucketId).deletePaymentMethod("acme");
   * ```
   */
  deletePaymentMethod(customerKey: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePaymentMethod", { params: { ...this.#params, customerKey }, options });
  }

  /**
   * Get a link to the provider's page of a customer.
   * With Stripe: the customer changes the payment method there, and reads invoices. The link is valid for minutes.
   *
   * @example
   * ```ts
   * const paymentPortal = await client.customers(bucketId).paymentPortal("acme", "https://app.example.com/billing");
   * ```
   */
  paymentPortal(
    customerKey: string,
    returnUrl: PaymentPortalInput["returnUrl"],
    options?: RequestOptions,
  ): Promise<PaymentPortal> {
    return this.#transport.call("openPaymentPortal", {
      params: { ...this.#params, customerKey },
      body: { returnUrl },
      isRepeatable: true,
      options,
    });
  }
}

/** The grants of one customer: credits in units of a meter, or money. */
export class Grants {
  readonly #transport: Transport;
  readonly #params: { bucketId: string; customerKey: string };

  constructor(transport: Transport, bucketId: string, customerKey: string) {
    this.#transport = transport;
    this.#params = { bucketId, customerKey };
  }

  /**
   * List the grants of a customer.
   *
   * @example
   * ```ts
   * for await (const grant of client.grants(bucketId, "acme").list()) console.log(grant);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Grant> {
    return this.#transport.list("listGrants", { call: { params: this.#params }, paging });
  }

  /**
   * List the grants of a customer as CSV, one text per page.
   *
   * @example
   * ```ts
   * for await (const text of client.grants(bucketId, "acme").listCsv()) process.stdout.write(text);
   * ```
   */
  listCsv(paging: PageOptions & RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listGrants", { call: { params: this.#params }, paging });
  }

  /**
   * Grant credits to a customer.
   * Units of a meter extend the maximum of the plan. Money pays overage as it occurs, and then invoices when they are finalized. Credits pay for usage from now on.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").create({ currency: "EUR", amount: "25.00", funding: "promotional", reason: "Welcome" });
   * ```
   */
  create(grant: GrantInput, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("createGrant", { params: this.#params, body: grant, options });
  }

  /**
   * Read a grant.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").get(grantId);
   * ```
   */
  get(grantId: string, options?: RequestOptions): Promise<Grant> {
    return this.#transport.call("getGrant", { params: { ...this.#params, grantId }, options });
  }

  /**
   * List the ledger of a grant.
   * Entries never change. Usage is entered at the end of each hour, and before invoices.
   *
   * @example
   * ```ts
   * for await (const grantEntry of client.grants(bucketId, "acme").entries(grantId)) console.log(grantEntry);
   * ```
   */
  entries(grantId: string, paging: PageOptions & RequestOptions = {}): List<GrantEntry> {
    return this.#transport.list("listGrantEntries", { call: { params: { ...this.#params, grantId } }, paging });
  }

  /**
   * List the ledger of a grant as CSV, one text per page.
   * Entries never change. Usage is entered at the end of each hour, and before invoices.
   *
   * @example
   * ```ts
   * for await (const text of client.grants(bucketId, "acme").entriesCsv(grantId)) process.stdout.write(text);
   * ```
   */
  entriesCsv(grantId: string, paging: PageOptions & RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listGrantEntries", { call: { params: { ...this.#params, grantId } }, paging });
  }

  /**
   * List the history of a customer's credit.
   * The entries of all grants of the customer, by default the oldest first. Usage is entered at the end of each hour, and before invoices.
   *
   * @example
   * ```ts
   * for await (const creditEntry of client.grants(bucketId, "acme").history()) console.log(creditEntry);
   * ```
   */
  history({ order, ...paging }: CreditHistoryOptions = {}): List<CreditEntry> {
    return this.#transport.list("listCreditEntries", { call: { params: this.#params, query: { order } }, paging });
  }

  /**
   * List the history of a customer's credit as CSV, one text per page.
   * The entries of all grants of the customer, by default the oldest first. Usage is entered at the end of each hour, and before invoices.
   *
   * @example
   * ```ts
   * for await (const text of client.grants(bucketId, "acme").historyCsv()) process.stdout.write(text);
   * ```
   */
  historyCsv({ order, ...paging }: CreditHistoryOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listCreditEntries", { call: { params: this.#params, query: { order } }, paging });
  }

  /**
   * Void a grant.
   * What is left of it can no longer be used. What it has paid stays paid.
   *
   * @example
   * ```ts
   * const grant = await client.grants(bucketId, "acme").void(grantId);
   * ```
   */
  void(grantId: string, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("voidGrant", { params: { ...this.#params, grantId }, body: {}, options });
  }
}

/** The credit packs of one metering bucket: credit that customers buy. */
export class CreditPacks {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List credit packs.
   *
   * @example
   * ```ts
   * for await (const creditPack of client.creditPacks(bucketId).list()) console.log(creditPack);
   * ```
   */
  list({ packExternalId, ...paging }: ListCreditPacksOptions = {}): List<CreditPack> {
    return this.#transport.list("listCreditPacks", {
      call: { params: this.#params, query: { packExternalId } },
      paging,
    });
  }

  /**
   * Create a credit pack.
   * Credit that customers buy for a price. Price and grant cannot be changed afterwards.
   *
   * @example
   * ```ts
   * const creditPack = await client.creditPacks(bucketId).create({
   *   packExternalId: "credits_100",
   *   label: "100,000 requests",
   *   price: {
   *     currency: "EUR",
   *     amount: "10.00"
   *   },
   *   grant: {
   *     meter: "requests",
   *     amount: 100000,
   *     expiresInDays: 365
   *   },
   *   isPublic: true
   * });
   * ```
   */
  create(creditPack: CreditPackCreate, options?: CreateOptions): Promise<CreditPack> {
    return this.#transport.call("createCreditPack", { params: this.#params, body: creditPack, options });
  }

  /**
   * Read a credit pack.
   *
   * @example
   * ```ts
   * const creditPack = await client.creditPacks(bucketId).get(packId);
   * ```
   */
  get(packId: string, options?: RequestOptions): Promise<CreditPack> {
    return this.#transport.call("getCreditPack", { params: { ...this.#params, packId }, options });
  }

  /**
   * Change a credit pack.
   * Its label, whether customers see it in the portal, and its place there.
   *
   * @example
   * ```ts
   * const creditPack = await client.creditPacks(bucketId).update(packId, { isPublic: false });
   * ```
   */
  update(packId: string, changes: CreditPackUpdate, options?: ChangeOptions): Promise<CreditPack> {
    return this.#transport.call("updateCreditPack", { params: { ...this.#params, packId }, body: changes, options });
  }

  /**
   * Delete a credit pack.
   * What was bought stays. Automatic top-ups with the pack buy nothing any more.
   *
   * @example
   * ```ts
   * await client.creditPacks(bucketId).delete(packId);
   * ```
   */
  delete(packId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteCreditPack", { params: { ...this.#params, packId }, options });
  }
}

/** The purchases of credit packs of one customer. */
export class PackPurchases {
  readonly #transport: Transport;
  readonly #params: { bucketId: string; customerKey: string };

  constructor(transport: Transport, bucketId: string, customerKey: string) {
    this.#transport = transport;
    this.#params = { bucketId, customerKey };
  }

  /**
   * List the purchases of credit packs of a customer.
   *
   * @example
   * ```ts
   * for await (const packPurchase of client.packPurchases(bucketId, "acme").list()) console.log(packPurchase);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<PackPurchase> {
    return this.#transport.list("listPackPurchases", { call: { params: this.#params }, paging });
  }

  /**
   * Sell a credit pack to a customer.
   * Creates an invoice without a subscription, which no grant pays. The credit is granted when it is paid. Send the customer to `url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if the customer's payment method has paid or is being charged, or if you mark invoices as paid yourself. A purchase that is not paid online within 24 hours is `canceled`, and so is one that another purchase replaces.
   *
   * @example
   * ```ts
   * const purchasedPack = await client.packPurchases(bucketId, "acme").purchase({ packExternalId: "credits_1000", returnUrl: "https://app.example.com/billing" });
   * ```
   */
  purchase(packPurchase: PackPurchaseCreate, options?: CreateOptions): Promise<PurchasedPack> {
    return this.#transport.call("purchasePack", { params: this.#params, body: packPurchase, options });
  }

  /**
   * Read the purchase of a credit pack.
   *
   * @example
   * ```ts
   * const packPurchase = await client.packPurchases(bucketId, "acme").get(purchaseId);
   * ```
   */
  get(purchaseId: string, options?: RequestOptions): Promise<PackPurchase> {
    return this.#transport.call("getPackPurchase", { params: { ...this.#params, purchaseId }, options });
  }

  /**
   * Refund what is left of a credit pack.
   * Returns the price with tax × what is left ÷ what was granted, rounded down, to the payment method by a credit note. What is left can no longer be used. If the refund fails, it is restored and the credit note is void. A purchase that was marked as paid is refunded outside of Tollgate.
   *
   * @example
   * ```ts
   * const packRefund = await client.packPurchases(bucketId, "acme").refund(purchaseId);
   * ```
   */
  refund(purchaseId: string, options?: CreateOptions): Promise<PackRefund> {
    return this.#transport.call("refundPack", { params: { ...this.#params, purchaseId }, body: {}, options });
  }
}

/** The simulations of one metering bucket: what customers would have been billed with other plans. */
export class Simulations {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * Simulate other plans.
   * Computes in the background what customers would have been billed for past usage with other prices, rates or maximums, in the periods that began at `from` or later and ended by `to`. It changes nothing. The result is kept for 30 days.
   *
   * @example
   * ```ts
   * const simulationStarted = await client.simulations(bucketId).start({ from: "2025-10-01T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z", plans: {} });
   * ```
   */
  start(simulation: SimulationInput, options?: CreateOptions): Promise<SimulationStarted> {
    return this.#transport.call("simulatePlans", { params: this.#params, body: simulation, options });
  }

  /**
   * List simulations.
   * The newest first.
   *
   * @example
   * ```ts
   * for await (const simulation of client.simulations(bucketId).list()) console.log(simulation);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Simulation> {
    return this.#transport.list("listSimulations", { call: { params: this.#params }, paging });
  }

  /**
   * Read a simulation.
   * Its progress, and the result when it has succeeded.
   *
   * @example
   * ```ts
   * const simulation = await client.simulations(bucketId).get(simulationId);
   * ```
   */
  get(simulationId: string, options?: RequestOptions): Promise<Simulation> {
    return this.#transport.call("getSimulation", { params: { ...this.#params, simulationId }, options });
  }

  /**
   * Cancel or delete a simulation.
   * One that is in progress is canceled, and one that has ended is deleted. With the `If-Match` of one in progress, one that has ended in the meantime is kept.
   *
   * @example
   * ```ts
   * await client.simulations(bucketId).delete(simulationId);
   * ```
   */
  delete(simulationId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteSimulation", { params: { ...this.#params, simulationId }, options });
  }

  /**
   * List the customers of a simulation.
   * The largest difference first.
   *
   * @example
   * ```ts
   * for await (const simulatedCustomer of client.simulations(bucketId).customers(simulationId)) console.log(simulatedCustomer);
   * ```
   */
  customers(simulationId: string, paging: PageOptions & RequestOptions = {}): List<SimulatedCustomer> {
    return this.#transport.list("listSimulatedCustomers", {
      call: { params: { ...this.#params, simulationId } },
      paging,
    });
  }

  /**
   * List the customers of a simulation as CSV, one text per page.
   * The largest difference first.
   *
   * @example
   * ```ts
   * for await (const text of client.simulations(bucketId).customersCsv(simulationId)) process.stdout.write(text);
   * ```
   */
  customersCsv(
    simulationId: string,
    paging: PageOptions & RequestOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listSimulatedCustomers", {
      call: { params: { ...this.#params, simulationId } },
      paging,
    });
  }
}

/** The invoices and credit notes of one metering bucket. */
export class Invoices {
  readonly #transport: Transport;
  readonly #params: { bucketId: string };

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#params = { bucketId };
  }

  /**
   * List payments and refunds.
   * Payments that were received for invoices, by a payment method or outside of Tollgate, and refunds that did not fail, in the order in which they were made. What credits paid is not a payment.
   *
   * @example
   * ```ts
   * for await (const payment of client.invoices(bucketId).payments()) console.log(payment);
   * ```
   */
  payments({ customerKey, from, to, ...paging }: ListPaymentsOptions = {}): List<Payment> {
    return this.#transport.list("listPayments", {
      call: { params: this.#params, query: { customerKey, from, to } },
      paging,
    });
  }

  /**
   * List payments and refunds as CSV, one text per page.
   * Payments that were received for invoices, by a payment method or outside of Tollgate, and refunds that did not fail, in the order in which they were made. What credits paid is not a payment.
   *
   * @example
   * ```ts
   * for await (const text of client.invoices(bucketId).paymentsCsv()) process.stdout.write(text);
   * ```
   */
  paymentsCsv({ customerKey, from, to, ...paging }: ListPaymentsOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listPayments", {
      call: { params: this.#params, query: { customerKey, from, to } },
      paging,
    });
  }

  /**
   * List invoices and credit notes.
   * A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * for await (const invoice of client.invoices(bucketId).list()) console.log(invoice);
   * ```
   */
  list({ customerKey, customerKeys, subscriptionId, status, ...paging }: ListInvoicesOptions = {}): List<Invoice> {
    return this.#transport.list("listInvoices", {
      call: {
        params: this.#params,
        query: { customerKey, customerKeys: customerKeys?.join(), subscriptionId, status },
      },
      paging,
    });
  }

  /**
   * List invoices and credit notes as CSV, one text per page.
   * A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * for await (const text of client.invoices(bucketId).listCsv()) process.stdout.write(text);
   * ```
   */
  listCsv({
    customerKey,
    customerKeys,
    subscriptionId,
    status,
    ...paging
  }: ListInvoicesOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.#transport.csvPages("listInvoices", {
      call: {
        params: this.#params,
        query: { customerKey, customerKeys: customerKeys?.join(), subscriptionId, status },
      },
      paging,
    });
  }

  /**
   * Add up what was invoiced, by month and plan.
   * Without taxes. Invoices count in the month in which they were finalized, unless they are void; credit notes are negative. At most 36 months.
   *
   * @example
   * ```ts
   * const revenue = await client.invoices(bucketId).revenue();
   * ```
   */
  revenue({ from, to, ...options }: RevenueOptions = {}): Promise<Revenue> {
    return this.#transport.call("getRevenue", { params: this.#params, query: { from, to }, options });
  }

  /**
   * Show recurring revenue by month, and why it changed.
   * The fees at the end of each month (of UTC), in this month now, by currency: new customers, what customers pay more and less, and those who left. Trials, usage, credits and taxes do not count. At most 36 months.
   *
   * @example
   * ```ts
   * const recurringRevenue = await client.invoices(bucketId).recurringRevenue();
   * ```
   */
  recurringRevenue({ from, to, ...options }: RecurringRevenueOptions = {}): Promise<RecurringRevenue> {
    return this.#transport.call("getRecurringRevenue", { params: this.#params, query: { from, to }, options });
  }

  /**
   * Show recurring revenue by month, and why it changed as CSV.
   * The fees at the end of each month (of UTC), in this month now, by currency: new customers, what customers pay more and less, and those who left. Trials, usage, credits and taxes do not count. At most 36 months.
   *
   * @example
   * ```ts
   * const text = await client.invoices(bucketId).recurringRevenueCsv();
   * ```
   */
  recurringRevenueCsv({ from, to, ...options }: RecurringRevenueOptions = {}): Promise<string> {
    return this.#transport.text(
      "getRecurringRevenue",
      { params: this.#params, query: { from, to }, options },
      "text/csv",
    );
  }

  /**
   * Read an invoice.
   * A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).get(invoiceId);
   * ```
   */
  get(invoiceId: string, { format, ...options }: GetInvoicesOptions = {}): Promise<Invoice> {
    return this.#transport.call("getInvoice", { params: { ...this.#params, invoiceId }, query: { format }, options });
  }

  /**
   * Read an invoice as an HTML page.
   * A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * const text = await client.invoices(bucketId).html(invoiceId);
   * ```
   */
  html(invoiceId: string, { format, ...options }: GetInvoicesOptions = {}): Promise<string> {
    return this.#transport.text(
      "getInvoice",
      { params: { ...this.#params, invoiceId }, query: { format }, options },
      "text/html",
    );
  }

  /**
   * Read an invoice as CSV.
   * A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * const text = await client.invoices(bucketId).csv(invoiceId);
   * ```
   */
  csv(invoiceId: string, { format, ...options }: GetInvoicesOptions = {}): Promise<string> {
    return this.#transport.text(
      "getInvoice",
      { params: { ...this.#params, invoiceId }, query: { format }, options },
      "text/csv",
    );
  }

  /**
   * Finalize a draft.
   * Numbers the invoice, after which it never changes, and collects it.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).finalize(invoiceId);
   * ```
   */
  finalize(invoiceId: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("finalizeInvoice", { params: { ...this.#params, invoiceId }, body: {}, options });
  }

  /**
   * Mark an invoice as paid.
   * For payments outside of Tollgate. `paidOn` is now by default.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).markPaid(invoiceId, { reference: "transfer 4711" });
   * ```
   */
  markPaid(invoiceId: string, invoicePayment: InvoicePayment = {}, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("markInvoicePaid", {
      params: { ...this.#params, invoiceId },
      body: invoicePayment,
      options,
    });
  }

  /**
   * Collect an open invoice.
   * Tries the customer's money grants and payment method again.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).collect(invoiceId);
   * ```
   */
  collect(invoiceId: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("collectInvoice", { params: { ...this.#params, invoiceId }, body: {}, options });
  }

  /**
   * Confirm the second step of a payment in the sandbox.
   * Pays an open invoice whose payment method has the behavior `needs-action`, as if the customer had confirmed it on the payment page.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).confirm(invoiceId);
   * ```
   */
  confirm(invoiceId: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("confirmInvoice", { params: { ...this.#params, invoiceId }, body: {}, options });
  }

  /**
   * Void an open invoice.
   * Nothing is due any more. The number stays in the series. A paid invoice is credited instead.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).void(invoiceId);
   * ```
   */
  void(invoiceId: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("voidInvoice", { params: { ...this.#params, invoiceId }, body: {}, options });
  }

  /**
   * Give up an open invoice.
   * It is not collected any more. This counts as a failed payment, also before the due date: access ends after the grace period, and does not return until the invoice is marked as paid or voided. It can also be credited.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).markUncollectible(invoiceId);
   * ```
   */
  markUncollectible(invoiceId: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("markInvoiceUncollectible", {
      params: { ...this.#params, invoiceId },
      body: {},
      options,
    });
  }

  /**
   * Create a credit note for an invoice.
   * Returns the credit note. It reduces what is due; what was paid already becomes a money grant, which pays the next invoices. With `to: "payment-method"`, what the payment method paid is returned to it, and `refund` says how far that is. An invoice that was marked as paid is refunded outside of Tollgate.
   *
   * @example
   * ```ts
   * const invoice = await client.invoices(bucketId).credit(invoiceId, { lines: [ { description: "Outage on 3 May", amount: "5.00" } ] });
   * ```
   */
  credit(invoiceId: string, invoiceCredit: InvoiceCredit, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("creditInvoice", {
      params: { ...this.#params, invoiceId },
      body: invoiceCredit,
      options,
    });
  }
}

/** The account as a seller: its billing profile and its payment providers. */
export class Billing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the billing profile of an account.
   *
   * @example
   * ```ts
   * const billingProfile = await client.billing.profile();
   * ```
   */
  profile(options?: RequestOptions): Promise<BillingProfile> {
    return this.#transport.call("getBillingProfile", { options });
  }

  /**
   * Set the billing profile of an account.
   * Drafts that waited for it are finalized within seconds. Invoices keep the profile of their time.
   *
   * @example
   * ```ts
   * const billingProfile = await client.billing.setProfile({
   *   legalName: "Acme GmbH",
   *   address: {
   *     line1: "Hauptstr. 1",
   *     postalCode: "10115",
   *     city: "Berlin",
   *     country: "DE"
   *   },
   *   numberPrefix: "ACME-",
   *   termsDays: 14,
   *   taxRates: [
   *     {
   *       name: "VAT",
   *       percentage: "19",
   *       country: "DE"
   *     }
   *   ]
   * });
   * ```
   */
  setProfile(billingProfile: BillingProfileInput, options?: ChangeOptions): Promise<BillingProfile> {
    return this.#transport.call("setBillingProfile", { body: billingProfile, options });
  }

  /**
   * Preview a mail to customers of buckets without a portal.
   * With invented data. Changes and sends nothing.
   *
   * @example
   * ```ts
   * const portalMailPreview = await client.billing.previewMail({ kind: "invoice", greeting: "Hello from Acme," });
   * ```
   */
  previewMail(billingMailPreview: BillingMailPreviewCreate, options?: RequestOptions): Promise<PortalMailPreview> {
    return this.#transport.call("previewBillingMail", { body: billingMailPreview, isRepeatable: true, options });
  }

  /**
   * Read how invoices are paid.
   * `mode` is `live`, or `test` for test buckets.
   *
   * @example
   * ```ts
   * const paymentProvider = await client.billing.provider("live");
   * ```
   */
  provider(mode: PaymentProvider["mode"], options?: RequestOptions): Promise<PaymentProvider> {
    return this.#transport.call("getPaymentProvider", { params: { mode }, options });
  }

  /**
   * Set how invoices are paid.
   * Applies to invoices that are finalized or collected from now on. Another type than `stripe` erases the keys of Stripe. Returns 409 while Stripe has invoices that are not finished.
   *
   * @example
   * ```ts
   * const paymentProvider = await client.billing.setProvider("live", "sandbox");
   * ```
   */
  setProvider(
    mode: PaymentProvider["mode"],
    type: PaymentProviderInput["type"],
    { force, secretKey, webhookSecret, ...options }: SetProviderOptions = {},
  ): Promise<PaymentProvider> {
    return this.#transport.call("setPaymentProvider", {
      params: { mode },
      query: { force },
      body: { type, secretKey, webhookSecret },
      options,
    });
  }

  /**
   * Compare invoices with the payment provider.
   * With Stripe: fetches its invoices, and returns those whose status or amount is not that of ours. Changes nothing.
   *
   * @example
   * ```ts
   * const paymentComparison = await client.billing.compare("live");
   * ```
   */
  compare(
    mode: PaymentProvider["mode"],
    { since, ...options }: ComparePaymentsOptions = {},
  ): Promise<PaymentComparison> {
    return this.#transport.call("comparePayments", { params: { mode }, query: { since }, options });
  }
}

/** Deployed gateway projects. `client.deploy()` creates them. */
export class DeploymentsCalls {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /**
   * Read the progress of an upload.
   *
   * @example
   * ```ts
   * const deploymentStatus = await client.deployments.status("orders", statusId);
   * ```
   */
  status(projectName: string, statusId: string, options?: RequestOptions): Promise<DeploymentStatus> {
    return this.transport.call("getDeploymentStatus", { params: { projectName, statusId }, options });
  }

  /**
   * List the deployments of a project.
   *
   * @example
   * ```ts
   * const data = await client.deployments.list("orders");
   * ```
   */
  async list(projectName: string, options?: RequestOptions): Promise<DeploymentList["data"]> {
    return (await this.transport.call("listDeployments", { params: { projectName }, options })).data;
  }

  /**
   * List the deployments of all projects.
   *
   * @example
   * ```ts
   * for await (const deployment of client.deployments.listAll()) console.log(deployment);
   * ```
   */
  listAll({ project, branch, ...paging }: ListDeploymentsOptions = {}): List<Deployment> {
    return this.transport.list("listAccountDeployments", {
      call: { query: { projectName: project, branchName: branch } },
      paging,
    });
  }

  /**
   * Read a deployment.
   *
   * @example
   * ```ts
   * const deployment = await client.deployments.get("orders-main-3f9c2a1");
   * ```
   */
  get(deploymentName: string, options?: RequestOptions): Promise<Deployment> {
    return this.transport.call("getDeployment", { params: { deploymentName }, options });
  }

  /**
   * Delete a deployment.
   * Its address returns 404 immediately.
   *
   * @example
   * ```ts
   * await client.deployments.delete("orders-main-3f9c2a1");
   * ```
   */
  delete(deploymentName: string, options?: ChangeOptions): Promise<void> {
    return this.transport.call("deleteDeployment", { params: { deploymentName }, options });
  }

  /**
   * Build the stored source again.
   *
   * @example
   * ```ts
   * const redeployed = await client.deployments.redeploy("orders-main-3f9c2a1");
   * ```
   */
  redeploy(deploymentName: string, options?: CreateOptions): Promise<Redeployed> {
    return this.transport.call("redeploy", { params: { deploymentName }, body: {}, options });
  }

  /**
   * Build what is live in another deployment of the project.
   * The source of the version that is live there, with the variables of this deployment, and without an upload. The current version keeps serving until the new one is live.
   *
   * @example
   * ```ts
   * const redeployed = await client.deployments.promote("orders-main-3f9c2a1", "orders-staging-1a2b3c4");
   * ```
   */
  promote(deploymentName: string, from: DeploymentPromotion["from"], options?: CreateOptions): Promise<Redeployed> {
    return this.transport.call("promoteDeployment", { params: { deploymentName }, body: { from }, options });
  }

  /**
   * List the versions of a deployment.
   *
   * @example
   * ```ts
   * for await (const deploymentVersion of client.deployments.versions("orders-main-3f9c2a1")) console.log(deploymentVersion);
   * ```
   */
  versions(deploymentName: string, paging: PageOptions & RequestOptions = {}): List<DeploymentVersion> {
    return this.transport.list("listDeploymentVersions", { call: { params: { deploymentName } }, paging });
  }

  /**
   * Read a version with its contents.
   * The OpenAPI document, routes, policies with their options, plain variables and code. They may contain credentials, so readers may not read them.
   *
   * @example
   * ```ts
   * const deploymentVersionContents = await client.deployments.version("orders-main-3f9c2a1", 4);
   * ```
   */
  version(
    deploymentName: string,
    versionNumber: number | string,
    options?: RequestOptions,
  ): Promise<DeploymentVersionContents> {
    return this.transport.call("getDeploymentVersion", {
      params: { deploymentName, versionNumber: String(versionNumber) },
      options,
    });
  }

  /**
   * Roll back to an earlier version.
   * Without a build: the version is started and checked, and then gets the traffic.
   *
   * @example
   * ```ts
   * const deployment = await client.deployments.rollBack("orders-main-3f9c2a1");
   * ```
   */
  rollBack(deploymentName: string, { version, ...options }: RollBackOptions = {}): Promise<Deployment> {
    return this.transport.call("rollBackDeployment", { params: { deploymentName }, body: { version }, options });
  }

  /**
   * List the routes of a version.
   *
   * @example
   * ```ts
   * const deployedRoutes = await client.deployments.routes("orders-main-3f9c2a1");
   * ```
   */
  routes(
    deploymentName: string,
    { version, example, tools, permissions, keyBucket, ...options }: DeployedRoutesOptions = {},
  ): Promise<DeployedRoutes> {
    return this.transport.call("listDeployedRoutes", {
      params: { deploymentName },
      query: { version: version?.toString(), example, tools, permissions: permissions?.join(), keyBucket },
      options,
    });
  }

  /**
   * Compare a deployment with another one of the project, or two versions.
   * The routes, the policies and the OpenAPI documents of the versions that serve, or of two versions of the deployment. Values of options are not shown, because they may be credentials.
   *
   * @example
   * ```ts
   * const deploymentChanges = await client.deployments.changes("orders-main-3f9c2a1");
   * ```
   */
  changes(
    deploymentName: string,
    { with: other, version, withVersion, ...options }: DeploymentChangesOptions = {},
  ): Promise<DeploymentChanges> {
    return this.transport.call("compareDeployments", {
      params: { deploymentName },
      query: { with: other, version: version?.toString(), withVersion },
      options,
    });
  }

  /**
   * List the upstreams of a deployment, with the health of their targets.
   *
   * @example
   * ```ts
   * const deployedUpstreams = await client.deployments.upstreams("orders-main-3f9c2a1");
   * ```
   */
  upstreams(deploymentName: string, options?: RequestOptions): Promise<DeployedUpstreams> {
    return this.transport.call("listDeployedUpstreams", { params: { deploymentName }, options });
  }

  /**
   * Send a request to a deployment.
   * The server sends the request into the gateway, where it is counted and limited like any other, and returns the response as data. Redirects are not followed.
   *
   * @example
   * ```ts
   * const deploymentTryResponse = await client.deployments.try("orders-main-3f9c2a1", {
   *   method: "GET",
   *   path: "/orders/7",
   *   key: {
   *     bucketName: "main",
   *     consumerName: "acme",
   *     keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu"
   *   }
   * });
   * ```
   */
  try(deploymentName: string, deploymentTry: DeploymentTry, options?: RequestOptions): Promise<DeploymentTryResponse> {
    return this.transport.call("tryDeployment", {
      params: { deploymentName },
      body: deploymentTry,
      isRepeatable: true,
      options,
    });
  }

  /**
   * Read the log of a deployment.
   * Requests, console output and builds: the newest lines, oldest first. Console and build lines are kept for seven days, requests as long as in their list. Under heavy traffic lines are dropped, and their number is reported.
   *
   * @example
   * ```ts
   * const data = await client.deployments.logs("orders-main-3f9c2a1");
   * ```
   */
  async logs(
    deploymentName: string,
    { limit, since, kind, ...options }: LogOptions = {},
  ): Promise<DeploymentLog["data"]> {
    return (
      await this.transport.call("readDeploymentLog", {
        params: { deploymentName },
        query: { limit, since, kind },
        options,
      })
    ).data;
  }
}

/** Canary releases: a second version of a deployment that serves a share of the requests. */
export class TrafficResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the versions that serve a deployment, with counts and latencies.
   *
   * @example
   * ```ts
   * const traffic = await client.traffic.get("orders-main-3f9c2a1");
   * ```
   */
  get(deploymentName: string, options?: RequestOptions): Promise<Traffic> {
    return this.#transport.call("getTraffic", { params: { deploymentName }, options });
  }

  /**
   * Split traffic between the live version and another one.
   * Starts a canary release, or changes the running one. The same version continues with its counts. A deployment and a rollback end it.
   *
   * @example
   * ```ts
   * const traffic = await client.traffic.split("orders-main-3f9c2a1", {
   *   splits: [
   *     {
   *       versionNumber: 3,
   *       weight: 95
   *     },
   *     {
   *       versionNumber: 4,
   *       weight: 5
   *     }
   *   ],
   *   stickyBy: "credential",
   *   abort: {
   *     errorShare: 0.05,
   *     minimumRequests: 100
   *   }
   * });
   * ```
   */
  split(deploymentName: string, trafficSplit: TrafficSplit, options?: ChangeOptions): Promise<Traffic> {
    return this.#transport.call("splitTraffic", { params: { deploymentName }, body: trafficSplit, options });
  }

  /**
   * Return all traffic to the live version.
   * Ends the canary release. Without one it does nothing.
   *
   * @example
   * ```ts
   * await client.traffic.stop("orders-main-3f9c2a1");
   * ```
   */
  stop(deploymentName: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("stopCanary", { params: { deploymentName }, options });
  }

  /**
   * Make the canary the live version.
   *
   * @example
   * ```ts
   * const traffic = await client.traffic.promote("orders-main-3f9c2a1");
   * ```
   */
  promote(deploymentName: string, options?: CreateOptions): Promise<Traffic> {
    return this.#transport.call("promoteCanary", { params: { deploymentName }, body: {}, options });
  }

  /**
   * Create a header value that selects a version of the canary release.
   * Requests with it in the header `x-tollgate-version` are served by that version for an hour, while the canary release runs. Their responses name the version in the same header.
   *
   * @example
   * ```ts
   * const trafficTest = await client.traffic.test("orders-main-3f9c2a1", 4);
   * ```
   */
  test(
    deploymentName: string,
    versionNumber: TrafficTestCreate["versionNumber"],
    options?: RequestOptions,
  ): Promise<TrafficTest> {
    return this.#transport.call("testVersion", {
      params: { deploymentName },
      body: { versionNumber },
      isRepeatable: true,
      options,
    });
  }
}

/** Custom domains: your own hosts, served by deployments. */
export class Domains {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List custom domains.
   *
   * @example
   * ```ts
   * for await (const domain of client.domains.list()) console.log(domain);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Domain> {
    return this.#transport.list("listDomains", { call: {}, paging });
  }

  /**
   * Claim a host for a deployment.
   * Give `deploymentName`, or `mounts` for several deployments by path. Set the records in `dns`. The server looks them up with increasing intervals. A claim that is not proven within seven days is removed; it does not prevent other accounts from proving the host.
   *
   * @example
   * ```ts
   * const domain = await client.domains.create({ host: "api.acme.example", deploymentName: "orders-main-1a2b3c4" });
   * ```
   */
  create(domain: DomainCreate, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("createDomain", { body: domain, options });
  }

  /**
   * Read a custom domain.
   *
   * @example
   * ```ts
   * const domain = await client.domains.get(domainId);
   * ```
   */
  get(domainId: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.call("getDomain", { params: { domainId }, options });
  }

  /**
   * Change the deployments of a domain.
   * Applies to the next request. The host and its proof are not changed.
   *
   * @example
   * ```ts
   * const domain = await client.domains.update(domainId, {
   *   mounts: [
   *     {
   *       path: "/",
   *       deploymentName: "shop-main-9f8e7d6"
   *     },
   *     {
   *       path: "/billing",
   *       deploymentName: "billing-main-1a2b3c4",
   *       stripPath: true
   *     }
   *   ]
   * });
   * ```
   */
  update(domainId: string, changes: DomainUpdate, options?: ChangeOptions): Promise<Domain> {
    return this.#transport.call("updateDomain", { params: { domainId }, body: changes, options });
  }

  /**
   * Delete a custom domain.
   * Requests to its host are no longer routed.
   *
   * @example
   * ```ts
   * await client.domains.delete(domainId);
   * ```
   */
  delete(domainId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteDomain", { params: { domainId }, options });
  }

  /**
   * Look up the records of a domain now.
   * Does not wait for the next scheduled lookup. The lookup is made within a few seconds after the response.
   *
   * @example
   * ```ts
   * const domain = await client.domains.check(domainId);
   * ```
   */
  check(domainId: string, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("checkDomain", { params: { domainId }, body: {}, options });
  }
}

/** The variables of a gateway project. */
export class Variables {
  readonly #transport: Transport;
  readonly #params: { projectName: string };

  constructor(transport: Transport, projectName: string) {
    this.#transport = transport;
    this.#params = { projectName };
  }

  /**
   * List the variables of a project.
   * Secrets are listed without their values.
   *
   * @example
   * ```ts
   * for await (const variable of client.variables("orders").list()) console.log(variable);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Variable> {
    return this.#transport.list("listVariables", { call: { params: this.#params }, paging });
  }

  /**
   * Read a variable.
   *
   * @example
   * ```ts
   * const variable = await client.variables("orders").get("UPSTREAM_TOKEN");
   * ```
   */
  get(variableName: string, options?: RequestOptions): Promise<Variable> {
    return this.#transport.call("getVariable", { params: { ...this.#params, variableName }, options });
  }

  /**
   * Set a variable.
   * Creates it or replaces it as a whole. A plain variable takes effect with the next build; a secret with the next request of every version that uses it, within a second on every node.
   *
   * @example
   * ```ts
   * const variable = await client.variables("orders").set("UPSTREAM_TOKEN", {
   *   value: "s3cr3t-of-the-upstream",
   *   isSecret: true,
   *   environments: [
   *     "production"
   *   ]
   * });
   * ```
   */
  set(variableName: string, variable: VariableSet, options?: ChangeOptions): Promise<Variable> {
    return this.#transport.call("setVariable", { params: { ...this.#params, variableName }, body: variable, options });
  }

  /**
   * Delete a variable.
   * Versions keep the plain variables that they were built with. Routes that use a deleted secret respond with 503.
   *
   * @example
   * ```ts
   * await client.variables("orders").delete("UPSTREAM_TOKEN");
   * ```
   */
  delete(variableName: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteVariable", { params: { ...this.#params, variableName }, options });
  }
}

/** The audit log: every change with its actor and time. */
export class AuditLogCalls {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /**
   * Read the audit log.
   * The newest entries first; `before` selects the next page. Entries about tokens, members, sessions and trusted issuers are only for admins.
   *
   * @example
   * ```ts
   * const data = await client.auditLog.list();
   * ```
   */
  async list({
    action,
    actor,
    actorType,
    resource,
    from,
    to,
    limit,
    before,
    ...options
  }: AuditPageOptions = {}): Promise<AuditEntries["data"]> {
    return (
      await this.transport.call("listAuditLog", {
        query: { action, actor, actorType, resource, from, to, limit, before },
        options,
      })
    ).data;
  }

  /**
   * Read the audit log as CSV.
   * The newest entries first; `before` selects the next page. Entries about tokens, members, sessions and trusted issuers are only for admins.
   *
   * @example
   * ```ts
   * const text = await client.auditLog.csv();
   * ```
   */
  csv({
    action,
    actor,
    actorType,
    resource,
    from,
    to,
    limit,
    before,
    ...options
  }: AuditPageOptions = {}): Promise<string> {
    return this.transport.text(
      "listAuditLog",
      { query: { action, actor, actorType, resource, from, to, limit, before }, options },
      "text/csv",
    );
  }
}

/** Counts of all requests to the deployments of the account, and of all calls of verify-key. */
export class AccountAnalyticsCalls {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /**
   * Read the analytics of a deployment.
   * Counts are visible within seconds.
   *
   * @example
   * ```ts
   * const analytics = await client.analytics.ofDeployment("orders-main-3f9c2a1");
   * ```
   */
  ofDeployment(
    deploymentName: string,
    { from, to, step, by, limit, route, status, consumer, consumerId, policy, ...options }: AnalyticsOptions = {},
  ): Promise<Analytics> {
    return this.transport.call("getDeploymentAnalytics", {
      params: { deploymentName },
      query: { from, to, step, by, limit, route, status, consumer, consumerId, policy },
      options,
    });
  }

  /**
   * Read the analytics of all deployments of an account.
   * Without deleted deployments. With `by=version`, a key is `<deployment>@<number>`.
   *
   * @example
   * ```ts
   * const analytics = await client.analytics.get();
   * ```
   */
  get({
    from,
    to,
    step,
    by,
    limit,
    route,
    status,
    consumer,
    consumerId,
    policy,
    ...options
  }: AnalyticsOptions = {}): Promise<Analytics> {
    return this.transport.call("getAccountAnalytics", {
      query: { from, to, step, by, limit, route, status, consumer, consumerId, policy },
      options,
    });
  }

  /**
   * Read the analytics of verify-key.
   * Counts calls of `verify-key`. Keys that a gateway verifies are counted as requests. Counts are visible within seconds.
   *
   * @example
   * ```ts
   * const verificationAnalytics = await client.analytics.verifications();
   * ```
   */
  verifications({
    from,
    to,
    step,
    by,
    limit,
    bucket,
    consumer,
    result,
    ...options
  }: VerificationOptions = {}): Promise<VerificationAnalytics> {
    return this.transport.call("getVerificationAnalytics", {
      query: { from, to, step, by, limit, bucket, consumer, result },
      options,
    });
  }

  /**
   * Read the analytics of verify-key as CSV.
   * Counts calls of `verify-key`. Keys that a gateway verifies are counted as requests. Counts are visible within seconds.
   *
   * @example
   * ```ts
   * const text = await client.analytics.verificationsCsv();
   * ```
   */
  verificationsCsv({
    from,
    to,
    step,
    by,
    limit,
    bucket,
    consumer,
    result,
    ...options
  }: VerificationOptions = {}): Promise<string> {
    return this.transport.text(
      "getVerificationAnalytics",
      { query: { from, to, step, by, limit, bucket, consumer, result }, options },
      "text/csv",
    );
  }

  /**
   * Read the analytics of models.
   * Tokens, cost, charge and margin of requests to models. Counts are visible within seconds.
   *
   * @example
   * ```ts
   * const modelAnalytics = await client.analytics.models();
   * ```
   */
  models({
    from,
    to,
    step,
    by,
    limit,
    model,
    provider,
    consumer,
    ...options
  }: ModelOptions = {}): Promise<ModelAnalytics> {
    return this.transport.call("getModelAnalytics", {
      query: { from, to, step, by, limit, model, provider, consumer },
      options,
    });
  }
}

/** Webhooks: URLs that receive events. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List webhooks.
   *
   * @example
   * ```ts
   * for await (const webhook of client.webhooks.list()) console.log(webhook);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<Webhook> {
    return this.#transport.list("listWebhooks", { call: {}, paging });
  }

  /**
   * Create a webhook.
   * Only this response contains its secret.
   *
   * @example
   * ```ts
   * const webhookWithSecret = await client.webhooks.create({ url: "https://acme.example/webhooks", events: [ "key.*", "quota.threshold" ] });
   * ```
   */
  create(webhook: WebhookCreate, options?: CreateOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("createWebhook", { body: webhook, options });
  }

  /**
   * Read a webhook.
   *
   * @example
   * ```ts
   * const webhook = await client.webhooks.get("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(webhookId: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("getWebhook", { params: { webhookId }, options });
  }

  /**
   * Change a webhook.
   * A given field replaces the old value, `null` clears it, an absent field is not changed.
   *
   * @example
   * ```ts
   * const webhook = await client.webhooks.update("hook_0QGzNqW81Kx8VhTb3mPcRdZu", { events: [ "*" ] });
   * ```
   */
  update(webhookId: string, changes: WebhookUpdate, options?: ChangeOptions): Promise<Webhook> {
    return this.#transport.call("updateWebhook", { params: { webhookId }, body: changes, options });
  }

  /**
   * Delete a webhook.
   * Its deliveries are deleted too.
   *
   * @example
   * ```ts
   * await client.webhooks.delete("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(webhookId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteWebhook", { params: { webhookId }, options });
  }

  /**
   * Rotate the secret of a webhook.
   * Until the grace period ends, messages have a signature by each of the two secrets.
   *
   * @example
   * ```ts
   * const webhookWithSecret = await client.webhooks.rotateSecret("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  rotateSecret(webhookId: string, { graceSeconds, ...options }: RotateSecretOptions = {}): Promise<WebhookWithSecret> {
    return this.#transport.call("rotateWebhookSecret", { params: { webhookId }, body: { graceSeconds }, options });
  }

  /**
   * Send a test message.
   * Its type is `webhook.test`; it is sent to this webhook, whatever its patterns.
   *
   * @example
   * ```ts
   * const webhookDelivery = await client.webhooks.test("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  test(webhookId: string, options?: CreateOptions): Promise<WebhookDelivery> {
    return this.#transport.call("testWebhook", { params: { webhookId }, body: {}, options });
  }

  /**
   * Send the messages of a time range again.
   * All messages of the account from `from` until before `to` that match the webhook's patterns, including those that it did not get because it was disabled. At most 10,000 at once.
   *
   * @example
   * ```ts
   * const webhookReplayed = await client.webhooks.replay("hook_0QGzNqW81Kx8VhTb3mPcRdZu", { from: "2026-01-30T00:00:00Z", to: "2026-01-31T00:00:00Z" });
   * ```
   */
  replay(webhookId: string, webhookReplay: WebhookReplay, options?: CreateOptions): Promise<WebhookReplayed> {
    return this.#transport.call("replayWebhook", { params: { webhookId }, body: webhookReplay, options });
  }

  /**
   * List deliveries, newest first.
   *
   * @example
   * ```ts
   * const data = await client.webhooks.deliveries("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  async deliveries(
    webhookId: string,
    { limit, before, status, type, ...options }: DeliveryOptions = {},
  ): Promise<WebhookDeliveryList["data"]> {
    return (
      await this.#transport.call("listWebhookDeliveries", {
        params: { webhookId },
        query: { limit, before, status, type },
        options,
      })
    ).data;
  }

  /**
   * Read a delivery with its request and attempts.
   *
   * @example
   * ```ts
   * const webhookDeliveryDetail = await client.webhooks.delivery("hook_0QGzNqW81Kx8VhTb3mPcRdZu", "dlvr_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delivery(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDeliveryDetail> {
    return this.#transport.call("getWebhookDelivery", { params: { webhookId, deliveryId }, options });
  }

  /**
   * Attempt a delivery again, now.
   * Restarts the schedule of retries. The `webhook-id` stays the same.
   *
   * @example
   * ```ts
   * const webhookDelivery = await client.webhooks.retry("hook_0QGzNqW81Kx8VhTb3mPcRdZu", "dlvr_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  retry(webhookId: string, deliveryId: string, options?: CreateOptions): Promise<WebhookDelivery> {
    return this.#transport.call("retryWebhookDelivery", { params: { webhookId, deliveryId }, body: {}, options });
  }
}

/** The buckets, plans, webhooks, domains and variables of an account as one document. */
export class ConfigurationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the configuration of an account.
   * Secrets are references to environment variables of the same name. Consumers, keys, subscriptions and tokens are not part of it, nor are webhooks and metering buckets without a name. Exports are part of it for admins.
   *
   * @example
   * ```ts
   * const configurationDump = await client.configuration.get();
   * ```
   */
  get(options?: RequestOptions): Promise<ConfigurationDump> {
    return this.#transport.call("getConfiguration", { options });
  }

  /**
   * Plan the changes that make an account match a configuration.
   * Changes nothing. The plan is valid once, for 15 minutes, and as long as the resources in its steps do not change. Each step needs the role of the corresponding single operation. Nothing is forced: to delete a bucket that is not empty or a plan with subscriptions is an error of the plan.
   *
   * @example
   * ```ts
   * const configurationPlan = await client.configuration.plan({
   *   configuration: {
   *     version: 1,
   *     keyBuckets: {
   *       production: {
   *         keyPrefix: "acme"
   *       }
   *     }
   *   },
   *   as: "shop",
   *   prune: true
   * });
   * ```
   */
  plan(configurationPlan: ConfigurationPlanCreate, options?: CreateOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("planConfiguration", { body: configurationPlan, options });
  }

  /**
   * Read a plan.
   * The newest 100 plans of an account are kept.
   *
   * @example
   * ```ts
   * const configurationPlan = await client.configuration.getPlan("cfgp_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  getPlan(configurationPlanId: string, options?: RequestOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("getConfigurationPlan", { params: { configurationPlanId }, options });
  }

  /**
   * Apply a plan.
   * All steps in one transaction, or none.
   *
   * @example
   * ```ts
   * const configurationPlan = await client.configuration.apply("cfgp_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  apply(planId: ConfigurationApply["planId"], options?: CreateOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("applyConfiguration", { body: { planId }, options });
  }
}

/** The saved views of an account: named filters of the console's lists. */
export class Views {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the saved views of an account.
   *
   * @example
   * ```ts
   * for await (const view of client.views.list()) console.log(view);
   * ```
   */
  list(paging: PageOptions & RequestOptions = {}): List<View> {
    return this.#transport.list("listViews", { call: {}, paging });
  }

  /**
   * Save a view.
   *
   * @example
   * ```ts
   * const view = await client.views.create({ name: "Gold customers", page: "consumers", search: "tag=plan%3Dgold" });
   * ```
   */
  create(view: ViewCreate, options?: CreateOptions): Promise<View> {
    return this.#transport.call("createView", { body: view, options });
  }

  /**
   * Read a view.
   *
   * @example
   * ```ts
   * const view = await client.views.get(viewId);
   * ```
   */
  get(viewId: string, options?: RequestOptions): Promise<View> {
    return this.#transport.call("getView", { params: { viewId }, options });
  }

  /**
   * Rename a view or change its filters.
   *
   * @example
   * ```ts
   * const view = await client.views.update(viewId, { name: "Gold and platinum customers" });
   * ```
   */
  update(viewId: string, changes: ViewUpdate, options?: ChangeOptions): Promise<View> {
    return this.#transport.call("updateView", { params: { viewId }, body: changes, options });
  }

  /**
   * Delete a view.
   *
   * @example
   * ```ts
   * await client.views.delete(viewId);
   * ```
   */
  delete(viewId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteView", { params: { viewId }, options });
  }
}
