import { type DeployOptions, deploy } from "./deploy/deploy.ts";
import type { Archive } from "./deploy/upload.ts";
import { AccountResources } from "./resources/account-resources.gen.ts";
import { Events } from "./resources/events.ts";
import { Requests } from "./resources/requests.ts";
import type { List, PageOptions } from "./transport/list.ts";
import type { CreateOptions, RequestOptions } from "./transport/options.ts";
import { realWaiting, type Waiting } from "./transport/retry.ts";
import {
  type Deployment,
  type ExchangedToken,
  type Identity,
  type Job,
  type KeyVerification,
  type ListedPortal,
  type Overview,
  type Retention,
  routes,
  type SearchMatches,
  type SystemStatus,
} from "./transport/schema.gen.ts";
import { type TollgateOptions, transportOf } from "./transport/tollgate-options.ts";
import type { Transport } from "./transport/transport.ts";
import { type KeyUsage, verifyKey } from "./verification/verify-key.ts";

/** Whether a server is ready for requests. */
export interface Readiness {
  status: "ready" | "unready";
  /** Set if the server is not ready. */
  reason?: string;
  version?: string;
  storage?: "sqlite" | "postgres";
  /** The state of the server's caches: `fresh` if they follow every change. */
  feed?: string;
}

export interface ExchangeOptions extends RequestOptions {
  /** `<server's public URL>/v1/accounts/<account>`, if trusted issuers of several accounts accept the token. */
  audience?: string;
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
export class Tollgate extends AccountResources {
  /** Requests to deployments, with the reason of each outcome. */
  readonly requests: Requests;
  readonly #options: TollgateOptions;
  readonly #waiting: Waiting;
  readonly #transport: Transport;

  /** Throws if `url` is not an http or https URL. Tests replace `waiting`, the source of time and randomness. */
  constructor(options: TollgateOptions, waiting: Waiting = realWaiting) {
    const transport = transportOf(options, waiting, routes);
    super(transport);
    this.requests = new Requests(transport);
    this.#options = options;
    this.#waiting = waiting;
    this.#transport = transport;
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
   * The identity and the permissions of the token.
   *
   * @example
   * ```ts
   * const { account, role } = await client.whoAmI();
   * ```
   */
  whoAmI(options?: RequestOptions): Promise<Identity> {
    return this.#transport.whoAmI(options);
  }

  /**
   * Exchanges a token of a trusted issuer, such as a CI service, for one that is valid for 15 minutes. Needs no token.
   *
   * @example
   * ```ts
   * const { access_token, expires_in } = await client.exchangeToken("eyJhbGciOiJSUzI1NiIs…");
   * ```
   */
  exchangeToken(subjectToken: string, { audience, ...options }: ExchangeOptions = {}): Promise<ExchangedToken> {
    const fields = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: subjectToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      ...(audience !== undefined && { audience }),
    };
    return this.#transport.submit("exchangeToken", fields, options);
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
    return this.#transport.probe<Readiness>("/readyz", options);
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
    return this.#transport.call("getSystemStatus", { options });
  }

  /**
   * Whether a key is valid, and its consumer. With `consume` or `hold` it also takes from the plan of the consumer.
   *
   * @example
   * ```ts
   * const verification = await client.verifyKey("main", "tg_0123456789abcdef0123456789abcdef_7759b50e");
   * if (verification.valid) console.log(verification.consumer.name, verification.user.data);
   * else console.log(verification.code);
   * ```
   */
  verifyKey(bucketName: string, key: string, usage: KeyUsage & CreateOptions = {}): Promise<KeyVerification> {
    return verifyKey(this.#transport, bucketName, key, usage);
  }

  /**
   * Resources that have words with these beginnings, this id or this number, at most 20. For a text that may be a whole key, use `searchedText`, which replaces it by its hash.
   *
   * @example
   * ```ts
   * for (const { type, name, path } of await client.search("acme")) console.log(type, name, path);
   * ```
   */
  async search(text: string, options?: RequestOptions): Promise<SearchMatches["data"]> {
    return (await this.#transport.call("search", { query: { q: text }, options })).data;
  }

  /**
   * Recurring revenue, late invoices, usage near limits, and what else needs attention.
   *
   * @example
   * ```ts
   * const { money, limits } = await client.overview();
   * ```
   */
  overview(options?: RequestOptions): Promise<Overview> {
    return this.#transport.call("getOverview", { options });
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
