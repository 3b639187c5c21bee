import type { List, PageOptions } from "../transport/list.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { ListedPortal } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { Accounts } from "./accounts.ts";
import { AccountAnalytics } from "./analytics.ts";
import { AuditLog } from "./audit-log.ts";
import { Billing } from "./billing.ts";
import { BucketKeys } from "./bucket-keys.ts";
import { Buckets } from "./buckets.ts";
import { ConfigurationResource } from "./configuration.ts";
import { Consumers } from "./consumers.ts";
import { Customers } from "./customers.ts";
import { Deployments } from "./deployments.ts";
import { Invoices } from "./invoices.ts";
import { Keys } from "./keys.ts";
import { Members } from "./members.ts";
import { Metering } from "./metering.ts";
import { Portal } from "./portal.ts";
import { Requests } from "./requests.ts";
import {
  Domains,
  Grants,
  ManagerInvites,
  Managers,
  Plans,
  Subscriptions,
  Tokens,
  TrustedIssuers,
  Variables,
  Views,
} from "./resources.gen.ts";
import { Sessions } from "./sessions.ts";
import { Traffic } from "./traffic.ts";
import { Events, SubscriptionUsage } from "./usage.ts";
import { Webhooks } from "./webhooks.ts";

/** The resources of an account, and those of its buckets, consumers and projects by the name or id of these. */
export class AccountResources {
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
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.accounts = new Accounts(transport);
    this.tokens = new Tokens(transport);
    this.trustedIssuers = new TrustedIssuers(transport);
    this.sessions = new Sessions(transport);
    this.members = new Members(transport);
    this.buckets = new Buckets(transport);
    this.metering = new Metering(transport);
    this.billing = new Billing(transport);
    this.deployments = new Deployments(transport);
    this.traffic = new Traffic(transport);
    this.domains = new Domains(transport);
    this.requests = new Requests(transport);
    this.auditLog = new AuditLog(transport);
    this.webhooks = new Webhooks(transport);
    this.configuration = new ConfigurationResource(transport);
    this.views = new Views(transport);
    this.analytics = new AccountAnalytics(transport);
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
}
