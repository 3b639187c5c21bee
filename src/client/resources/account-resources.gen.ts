// Written by `npm run generate` from the OpenAPI document. Do not edit.
import type { Transport } from "../transport/transport.ts";
import { AccountAnalytics } from "./analytics.ts";
import { AuditLog } from "./audit-log.ts";
import { Deployments } from "./deployments.ts";
import { Keys } from "./keys.ts";
import {
  Accounts,
  Billing,
  BucketKeys,
  Buckets,
  ConfigurationResource,
  Consumers,
  CreditPacks,
  Customers,
  Domains,
  Exports,
  Grants,
  Invoices,
  ManagerInvites,
  Managers,
  Members,
  Metering,
  PackPurchases,
  Plans,
  PortalResource,
  Sessions,
  Simulations,
  Subscriptions,
  SubscriptionUsage,
  Tokens,
  TrafficResource,
  TrustedIssuers,
  Variables,
  Views,
  Webhooks,
} from "./resources.gen.ts";

/** The resources of an account, and those of its buckets, consumers and projects by the name or id of these. */
export class AccountResources {
  /** The accounts of an installation. For the operator. */
  readonly accounts: Accounts;
  /** The credentials of the management API. For admins. */
  readonly tokens: Tokens;
  /** Copies of usage events, requests, invoices and the audit log in object storage, by hour. For admins. */
  readonly exports: Exports;
  /** Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins. */
  readonly trustedIssuers: TrustedIssuers;
  /** Signed-in browsers. For pages of the server itself; programs send the token. */
  readonly sessions: Sessions;
  /** The people of an account. For admins. */
  readonly members: Members;
  /** Key buckets: containers for consumers and their keys. */
  readonly buckets: Buckets;
  /** Metering buckets: containers for plans, subscriptions and usage. */
  readonly metering: Metering;
  /** The account as a seller: its billing profile and its payment providers. */
  readonly billing: Billing;
  /** Deployed gateway projects. `client.deploy()` creates them. */
  readonly deployments: Deployments;
  /** Canary releases: a second version of a deployment that serves a share of the requests. */
  readonly traffic: TrafficResource;
  /** Custom domains: your own hosts, served by deployments. */
  readonly domains: Domains;
  /** The audit log: every change with its actor and time. */
  readonly auditLog: AuditLog;
  /** Counts of all requests to the deployments of the account, and of all calls of verify-key. */
  readonly analytics: AccountAnalytics;
  /** Webhooks: URLs that receive events. */
  readonly webhooks: Webhooks;
  /** The buckets, plans, webhooks, domains and variables of an account as one document. */
  readonly configuration: ConfigurationResource;
  /** The saved views of an account: named filters of the console's lists. */
  readonly views: Views;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.accounts = new Accounts(transport);
    this.tokens = new Tokens(transport);
    this.exports = new Exports(transport);
    this.trustedIssuers = new TrustedIssuers(transport);
    this.sessions = new Sessions(transport);
    this.members = new Members(transport);
    this.buckets = new Buckets(transport);
    this.metering = new Metering(transport);
    this.billing = new Billing(transport);
    this.deployments = new Deployments(transport);
    this.traffic = new TrafficResource(transport);
    this.domains = new Domains(transport);
    this.auditLog = new AuditLog(transport);
    this.analytics = new AccountAnalytics(transport);
    this.webhooks = new Webhooks(transport);
    this.configuration = new ConfigurationResource(transport);
    this.views = new Views(transport);
  }

  /**
   * The keys of all consumers of a bucket.
   *
   * @example
   * ```ts
   * for await (const listedApiKey of client.bucketKeys("main").list()) console.log(listedApiKey);
   * ```
   */
  bucketKeys(bucketName: string): BucketKeys {
    return new BucketKeys(this.#transport, bucketName);
  }

  /**
   * The consumers of one key bucket: named holders of API keys.
   *
   * @example
   * ```ts
   * for await (const consumer of client.consumers("main").list()) console.log(consumer);
   * ```
   */
  consumers(bucketName: string): Consumers {
    return new Consumers(this.#transport, bucketName);
  }

  /**
   * The API keys of one consumer.
   *
   * @example
   * ```ts
   * for await (const apiKey of client.keys("main", "acme").list()) console.log(apiKey);
   * ```
   */
  keys(bucketName: string, consumerName: string): Keys {
    return new Keys(this.#transport, bucketName, consumerName);
  }

  /**
   * The people who manage the keys of one consumer.
   *
   * @example
   * ```ts
   * for await (const manager of client.managers("main", "acme").list()) console.log(manager);
   * ```
   */
  managers(bucketName: string, consumerName: string): Managers {
    return new Managers(this.#transport, bucketName, consumerName);
  }

  /**
   * Invitations of email addresses to become managers of one consumer.
   *
   * @example
   * ```ts
   * for await (const managerInvite of client.managerInvites("main", "acme").list()) console.log(managerInvite);
   * ```
   */
  managerInvites(bucketName: string, consumerName: string): ManagerInvites {
    return new ManagerInvites(this.#transport, bucketName, consumerName);
  }

  /**
   * The portal of a key bucket: the site where its customers manage their keys and see their usage.
   *
   * @example
   * ```ts
   * for await (const oAuthClient of client.portal("main").oauthClients()) console.log(oAuthClient);
   * ```
   */
  portal(bucketName: string): PortalResource {
    return new PortalResource(this.#transport, bucketName);
  }

  /**
   * The plans of one metering bucket: the limits of subscribers.
   *
   * @example
   * ```ts
   * for await (const plan of client.plans(bucketId).list()) console.log(plan);
   * ```
   */
  plans(bucketId: string): Plans {
    return new Plans(this.#transport, bucketId);
  }

  /**
   * The subscriptions of one metering bucket: customers and their plans.
   *
   * @example
   * ```ts
   * for await (const subscription of client.subscriptions(bucketId).list()) console.log(subscription);
   * ```
   */
  subscriptions(bucketId: string): Subscriptions {
    return new Subscriptions(this.#transport, bucketId);
  }

  /**
   * The usage of one subscription.
   *
   * @example
   * ```ts
   * const usage = await client.usage(bucketId, subscriptionId).get();
   * ```
   */
  usage(bucketId: string, subscriptionId: string): SubscriptionUsage {
    return new SubscriptionUsage(this.#transport, bucketId, subscriptionId);
  }

  /**
   * The customers of one metering bucket: who pays for its subscriptions.
   *
   * @example
   * ```ts
   * for await (const customer of client.customers(bucketId).list()) console.log(customer);
   * ```
   */
  customers(bucketId: string): Customers {
    return new Customers(this.#transport, bucketId);
  }

  /**
   * The grants of one customer: credits in units of a meter, or money.
   *
   * @example
   * ```ts
   * for await (const grant of client.grants(bucketId, "acme").list()) console.log(grant);
   * ```
   */
  grants(bucketId: string, customerKey: string): Grants {
    return new Grants(this.#transport, bucketId, customerKey);
  }

  /**
   * The credit packs of one metering bucket: credit that customers buy.
   *
   * @example
   * ```ts
   * for await (const creditPack of client.creditPacks(bucketId).list()) console.log(creditPack);
   * ```
   */
  creditPacks(bucketId: string): CreditPacks {
    return new CreditPacks(this.#transport, bucketId);
  }

  /**
   * The purchases of credit packs of one customer.
   *
   * @example
   * ```ts
   * for await (const packPurchase of client.packPurchases(bucketId, "acme").list()) console.log(packPurchase);
   * ```
   */
  packPurchases(bucketId: string, customerKey: string): PackPurchases {
    return new PackPurchases(this.#transport, bucketId, customerKey);
  }

  /**
   * The simulations of one metering bucket: what customers would have been billed with other plans.
   *
   * @example
   * ```ts
   * const simulationStarted = await client.simulations(bucketId).start({ from: "2025-10-01T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z", plans: {} });
   * ```
   */
  simulations(bucketId: string): Simulations {
    return new Simulations(this.#transport, bucketId);
  }

  /**
   * The invoices and credit notes of one metering bucket.
   *
   * @example
   * ```ts
   * for await (const payment of client.invoices(bucketId).payments()) console.log(payment);
   * ```
   */
  invoices(bucketId: string): Invoices {
    return new Invoices(this.#transport, bucketId);
  }

  /**
   * The variables of a gateway project.
   *
   * @example
   * ```ts
   * for await (const variable of client.variables("orders").list()) console.log(variable);
   * ```
   */
  variables(projectName: string): Variables {
    return new Variables(this.#transport, projectName);
  }
}
