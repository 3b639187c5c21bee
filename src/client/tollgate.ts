import { type DeployOptions, deploy } from "./deploy/deploy.ts";
import type { Archive } from "./deploy/upload.ts";
import { Accounts, Tokens } from "./resources/accounts.ts";
import { AccountAnalytics } from "./resources/analytics.ts";
import { AuditLog } from "./resources/audit-log.ts";
import { Billing } from "./resources/billing.ts";
import { BucketKeys } from "./resources/bucket-keys.ts";
import { Buckets } from "./resources/buckets.ts";
import { ConfigurationResource } from "./resources/configuration.ts";
import { Consumers } from "./resources/consumers.ts";
import { Customers } from "./resources/customers.ts";
import { Deployments } from "./resources/deployments.ts";
import { Domains } from "./resources/domains.ts";
import { Grants } from "./resources/grants.ts";
import { Invoices } from "./resources/invoices.ts";
import { Keys } from "./resources/keys.ts";
import { ManagerInvites, Managers } from "./resources/managers.ts";
import { Members } from "./resources/members.ts";
import { Metering, Plans } from "./resources/metering.ts";
import { Portal } from "./resources/portal.ts";
import { Requests } from "./resources/requests.ts";
import { Sessions } from "./resources/sessions.ts";
import { Subscriptions } from "./resources/subscriptions.ts";
import { type Readiness, readiness, systemStatus } from "./resources/system.ts";
import { Traffic } from "./resources/traffic.ts";
import { type ExchangeOptions, exchangeToken, TrustedIssuers } from "./resources/trusted-issuers.ts";
import { Events, SubscriptionUsage } from "./resources/usage.ts";
import { Variables } from "./resources/variables.ts";
import { Views } from "./resources/views.ts";
import { Webhooks } from "./resources/webhooks.ts";
import { type TollgateOptions, transportOf } from "./tollgate-options.ts";
import type { List, PageOptions } from "./transport/list.ts";
import type { RequestOptions } from "./transport/options.ts";
import { realWaiting, type Waiting } from "./transport/retry.ts";
import type {
  Deployment,
  ExchangedToken,
  Identity,
  Job,
  KeyVerification,
  ListedPortal,
  Retention,
  SearchResult,
  SystemStatus,
} from "./transport/schema.gen.ts";
import type { Transport } from "./transport/transport.ts";

/** The use of a key that is to be verified. */
export interface KeyUsage {
  /** The client address of the request; required for keys with `allowedIps`. */
  ip?: string;
  /** The permission that the key must have. */
  permission?: string;
}

/**
 * The client of a Tollgate server. It keeps no connection and need not be closed.
 *
 * @example
 * ```ts
 * import { Tollgate } from "tollgate/client";
 *
 * const tollgate = new Tollgate({ url: "http://127.0.0.1:8787", token: "tgt_…" });
 * const acme = await tollgate.consumers("main").create({ name: "acme" }, { withApiKey: true });
 * console.log(acme.apiKeys?.[0]?.key);
 * ```
 */
export class Tollgate {
  /** The accounts of the installation. For the operator. */
  readonly accounts: Accounts;
  /** The credentials of the management API. */
  readonly tokens: Tokens;
  /** Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. */
  readonly trustedIssuers: TrustedIssuers;
  /** Signed-in browsers. */
  readonly sessions: Sessions;
  /** The people of the account. */
  readonly members: Members;
  /** Key buckets. */
  readonly buckets: Buckets;
  /** Metering buckets. */
  readonly metering: Metering;
  /** The seller that invoices name, and how they are paid. */
  readonly billing: Billing;
  /** Deployed gateway projects. */
  readonly deployments: Deployments;
  /** Canary releases: a second version of a deployment that serves a share of the requests. */
  readonly traffic: Traffic;
  /** Custom domains: your own hosts, served by deployments. */
  readonly domains: Domains;
  /** Requests to deployments, with the reason of each outcome. */
  readonly requests: Requests;
  /** The audit log: every change with its actor and time. */
  readonly auditLog: AuditLog;
  /** Webhooks: URLs that receive events. */
  readonly webhooks: Webhooks;
  /** The account's configuration as one document. */
  readonly configuration: ConfigurationResource;
  /** Saved views: named filters of the console's lists. */
  readonly views: Views;
  /** Counts, durations and statuses of the requests to deployments. */
  readonly analytics: AccountAnalytics;
  readonly #options: TollgateOptions;
  readonly #waiting: Waiting;
  readonly #transport: Transport;

  /** Throws if `url` is not an http or https URL. Tests replace `waiting`, the source of time and randomness. */
  constructor(options: TollgateOptions, waiting: Waiting = realWaiting) {
    this.#options = options;
    this.#waiting = waiting;
    this.#transport = transportOf(options, waiting);
    this.accounts = new Accounts(this.#transport);
    this.tokens = new Tokens(this.#transport);
    this.trustedIssuers = new TrustedIssuers(this.#transport);
    this.sessions = new Sessions(this.#transport);
    this.members = new Members(this.#transport);
    this.buckets = new Buckets(this.#transport);
    this.metering = new Metering(this.#transport);
    this.billing = new Billing(this.#transport);
    this.deployments = new Deployments(this.#transport);
    this.traffic = new Traffic(this.#transport);
    this.domains = new Domains(this.#transport);
    this.requests = new Requests(this.#transport);
    this.auditLog = new AuditLog(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.configuration = new ConfigurationResource(this.#transport);
    this.views = new Views(this.#transport);
    this.analytics = new AccountAnalytics(this.#transport);
  }

  /**
   * The same client in another account. For the operator.
   *
   * @example
   * ```ts
   * for await (const { name } of client.accounts.list()) {
   *   const { total } = await client.inAccount(name).consumers("main").list({ limit: 1 }).page();
   *   console.log(name, total);
   * }
   * ```
   */
  inAccount(account: string): Tollgate {
    return new Tollgate({ ...this.#options, account }, this.#waiting);
  }

  /**
   * The identity and the permissions of the token.
   *
   * @example
   * ```ts
   * const { account, role } = await client.whoAmI();
   * ```
   */
  whoAmI(options?: RequestOptions): Promise<Identity> {
    return this.#transport.call("whoAmI", { options });
  }

  /**
   * Exchanges a token of a trusted issuer, such as a CI service, for one that is valid for 15 minutes. Needs no token.
   *
   * @example
   * ```ts
   * const { access_token, expires_in } = await client.exchangeToken("eyJhbGciOiJSUzI1NiIs…");
   * ```
   */
  exchangeToken(subjectToken: string, options?: ExchangeOptions): Promise<ExchangedToken> {
    return exchangeToken(this.#transport, subjectToken, options);
  }

  /**
   * Whether the server is ready for requests, and what it runs on.
   *
   * @example
   * ```ts
   * const { status, storage, version } = await client.readiness();
   * ```
   */
  readiness(options?: RequestOptions): Promise<Readiness> {
    return readiness(this.#transport, options);
  }

  /**
   * For how many days requests, audit entries and usage events are kept.
   *
   * @example
   * ```ts
   * const { requestDays } = await client.retention();
   * ```
   */
  retention(options?: RequestOptions): Promise<Retention> {
    return this.#transport.call("getRetention", { options });
  }

  /**
   * Version, storage, nodes, feed, caches and last backup of the server; for its operator.
   *
   * @example
   * ```ts
   * const { version, storage, nodes } = await client.systemStatus();
   * console.log(version, storage.engine, storage.bytes, nodes.length);
   * ```
   */
  systemStatus(options?: RequestOptions): Promise<SystemStatus> {
    return systemStatus(this.#transport, options);
  }

  /**
   * Whether a key is valid, and its consumer.
   *
   * @example
   * ```ts
   * const verification = await client.verifyKey("main", "tg_0123456789abcdef0123456789abcdef_7759b50e");
   * if (verification.valid) console.log(verification.consumer.name, verification.user.data);
   * else console.log(verification.code);
   * ```
   */
  verifyKey(
    bucketName: string,
    key: string,
    { ip, permission, ...options }: KeyUsage & RequestOptions = {},
  ): Promise<KeyVerification> {
    const body = { key, ...(ip !== undefined && { ip }), ...(permission !== undefined && { permission }) };
    return this.#transport.call("verifyKey", { params: { bucketName }, body, isRepeatable: true, options });
  }

  /**
   * Consumers, deployments, plans, subscriptions, keys and domains whose name or id has this prefix, at most 20. Keys also match by their last characters.
   *
   * @example
   * ```ts
   * for (const { type, name, path } of await client.search("acme")) console.log(type, name, path);
   * ```
   */
  async search(text: string, options?: RequestOptions): Promise<SearchResult["data"]> {
    return (await this.#transport.call("search", { query: { q: text }, options })).data;
  }

  /**
   * The progress of a job, such as a change of many keys.
   *
   * @example
   * ```ts
   * const { state, done, total } = await client.job("job_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  job(id: string, options?: RequestOptions): Promise<Job> {
    return this.#transport.call("getJob", { params: { jobId: id }, options });
  }

  /**
   * The keys of all consumers of a bucket.
   *
   * @example
   * ```ts
   * const { total } = await client.bucketKeys("main").list({ neverUsed: true, limit: 1 }).page();
   * ```
   */
  bucketKeys(bucketName: string): BucketKeys {
    return new BucketKeys(this.#transport, bucketName);
  }

  /**
   * The consumers of a key bucket.
   *
   * @example
   * ```ts
   * await client.consumers("main").create({ name: "acme" });
   * ```
   */
  consumers(bucketName: string): Consumers {
    return new Consumers(this.#transport, bucketName);
  }

  /**
   * The keys of a consumer.
   *
   * @example
   * ```ts
   * const { key } = await client.keys("main", "acme").create();
   * ```
   */
  keys(bucketName: string, consumerName: string): Keys {
    return new Keys(this.#transport, bucketName, consumerName);
  }

  /**
   * The portals of the account, without their logos.
   *
   * @example
   * ```ts
   * for await (const { bucketName, url } of client.portals()) console.log(bucketName, url);
   * ```
   */
  portals(options: PageOptions & RequestOptions = {}): List<ListedPortal> {
    return this.#transport.list("listPortals", { call: {}, paging: options });
  }

  /**
   * The portal of a key bucket.
   *
   * @example
   * ```ts
   * await client.portal("main").set({ title: "Acme Weather" });
   * ```
   */
  portal(bucket: string): Portal {
    return new Portal(this.#transport, bucket);
  }

  /**
   * The managers of a consumer.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").add({ sub: "auth0|ann" });
   * ```
   */
  managers(bucketName: string, consumerName: string): Managers {
    return new Managers(this.#transport, bucketName, consumerName);
  }

  /**
   * The invites of a consumer to become its manager.
   *
   * @example
   * ```ts
   * await client.managerInvites("main", "acme").create({ email: "bob@acme.example" });
   * ```
   */
  managerInvites(bucketName: string, consumerName: string): ManagerInvites {
    return new ManagerInvites(this.#transport, bucketName, consumerName);
  }

  /**
   * The plans of a metering bucket.
   *
   * @example
   * ```ts
   * const plans = await client.plans(bucketId).list().all();
   * ```
   */
  plans(bucketId: string): Plans {
    return new Plans(this.#transport, bucketId);
  }

  /**
   * The subscriptions of a metering bucket.
   *
   * @example
   * ```ts
   * const subscriptions = await client.subscriptions(bucketId).list({ customerKey: "acme" }).all();
   * ```
   */
  subscriptions(bucketId: string): Subscriptions {
    return new Subscriptions(this.#transport, bucketId);
  }

  /**
   * The customers of a metering bucket: who pays for its subscriptions.
   *
   * @example
   * ```ts
   * await client.customers(bucketId).update("acme", { email: "billing@acme.example" });
   * ```
   */
  customers(bucketId: string): Customers {
    return new Customers(this.#transport, bucketId);
  }

  /**
   * The grants of a customer: credits in units of a meter, or money.
   *
   * @example
   * ```ts
   * await client.grants(bucketId, "acme").create({ currency: "EUR", amount: "25.00", funding: "paid" });
   * ```
   */
  grants(bucketId: string, customerKey: string): Grants {
    return new Grants(this.#transport, bucketId, customerKey);
  }

  /**
   * The invoices and credit notes of a metering bucket.
   *
   * @example
   * ```ts
   * const open = await client.invoices(bucketId).list({ status: "open" }).all();
   * ```
   */
  invoices(bucketId: string): Invoices {
    return new Invoices(this.#transport, bucketId);
  }

  /**
   * The usage of a subscription.
   *
   * @example
   * ```ts
   * const { allowed } = await client.usage(bucketId, subscriptionId).consume({ requests: 1 });
   * ```
   */
  usage(bucketId: string, subscriptionId: string): SubscriptionUsage {
    return new SubscriptionUsage(this.#transport, bucketId, subscriptionId);
  }

  /**
   * The usage events of a metering bucket.
   *
   * @example
   * ```ts
   * await client.events(bucketId).send([
   *   { specversion: "1.0", id: "req-1", source: "gateway", type: "request", subject: "acme", data: { requests: 1 } },
   * ]);
   * ```
   */
  events(bucketId: string): Events {
    return new Events(this.#transport, bucketId);
  }

  /**
   * The variables of a gateway project.
   *
   * @example
   * ```ts
   * await client.variables("orders").set("REGION", { value: "eu-west-1" });
   * ```
   */
  variables(projectName: string): Variables {
    return new Variables(this.#transport, projectName);
  }

  /**
   * Deploys a gateway project: a folder (not in browsers), or a gzip tar of one as bytes, Blob or stream. Packs, uploads, waits
   * until it is live, and returns the deployment. Throws a BuildError if the project does not build or start.
   *
   * @example
   * ```ts
   * try {
   *   const deployment = await client.deploy("./my-gateway", {
   *     project: "orders",
   *     branch: "main",
   *     onProgress: ({ sentBytes, totalBytes }) => console.log(`${sentBytes} of ${totalBytes} bytes`),
   *     onStep: ({ name, status }) => console.log(name, status),
   *   });
   *   console.log(deployment.url);
   * } catch (error) {
   *   if (!(error instanceof BuildError)) throw error;
   *   for (const { file, line, column, message } of error.errors) console.error(`${file}:${line}:${column} ${message}`);
   * }
   * ```
   */
  deploy(source: string | Archive, options: DeployOptions): Promise<Deployment> {
    return deploy(this.#transport, source, options);
  }
}
