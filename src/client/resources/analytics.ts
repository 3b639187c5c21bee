import type { RequestOptions } from "../transport/options.ts";
import type { Analytics, Operations, VerificationAnalytics } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

type Query = NonNullable<Operations["getAccountAnalytics"]["query"]>;

/** The grouping, resolution and filters of a query. */
export type AnalyticsOptions = Pick<Query, "from" | "to" | "step" | "by" | "limit" | "route" | "status" | "consumer"> &
  RequestOptions;

type VerificationQuery = NonNullable<Operations["getVerificationAnalytics"]["query"]>;

/** The grouping, resolution and filters of a query of verifications. */
export type VerificationOptions = Pick<
  VerificationQuery,
  "from" | "to" | "step" | "by" | "limit" | "bucket" | "consumer" | "result"
> &
  RequestOptions;

/** Counts of all requests to the deployments of the account, and of all calls of verify-key. */
export class AccountAnalytics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The requests to all deployments as time series; of the last day by default.
   *
   * @example
   * ```ts
   * const { series } = await client.analytics.get({ by: "consumer", from: "2030-01-01T00:00:00Z", limit: 5 });
   * for (const { key, isOther, totals } of series) console.log(isOther ? "others" : key, totals.requests, totals.p95Ms);
   * ```
   */
  get(options: AnalyticsOptions = {}): Promise<Analytics> {
    return this.#transport.call("getAccountAnalytics", analyticsCall(options));
  }

  /**
   * The requests to one deployment as time series.
   *
   * @example
   * ```ts
   * const { series } = await client.analytics.ofDeployment("orders-main-3f9c2a1", { by: "route", status: "5xx" });
   * ```
   */
  ofDeployment(name: string, options: AnalyticsOptions = {}): Promise<Analytics> {
    return this.#transport.call("getDeploymentAnalytics", {
      params: { deploymentName: name },
      ...analyticsCall(options),
    });
  }

  /**
   * Time series as CSV, with a row for each point of each series; of all deployments or of one.
   *
   * @example
   * ```ts
   * const csv = await client.analytics.csv({ deployment: "orders-main-3f9c2a1", by: "route", step: "1h" });
   * ```
   */
  async csv({ deployment, ...options }: AnalyticsOptions & { deployment?: string | undefined } = {}): Promise<string> {
    const call = analyticsCall(options);
    const { text } =
      deployment === undefined
        ? await this.#transport.csv("getAccountAnalytics", call)
        : await this.#transport.csv("getDeploymentAnalytics", { params: { deploymentName: deployment }, ...call });
    return text;
  }

  /**
   * The calls of verify-key as time series; of the last day by default.
   *
   * @example
   * ```ts
   * const { series } = await client.analytics.verifications({ by: "result", bucket: "default" });
   * for (const { key, totals } of series) console.log(key, totals.verifications);
   * ```
   */
  verifications(options: VerificationOptions = {}): Promise<VerificationAnalytics> {
    return this.#transport.call("getVerificationAnalytics", verificationCall(options));
  }

  /**
   * The calls of verify-key as CSV, with a row for each point of each series.
   *
   * @example
   * ```ts
   * const csv = await client.analytics.verificationsCsv({ by: "consumer", step: "1d" });
   * ```
   */
  async verificationsCsv(options: VerificationOptions = {}): Promise<string> {
    return (await this.#transport.csv("getVerificationAnalytics", verificationCall(options))).text;
  }
}

function verificationCall({ from, to, step, by, limit, bucket, consumer, result, ...options }: VerificationOptions) {
  return { query: { from, to, step, by, limit, bucket, consumer, result }, options };
}

function analyticsCall({ from, to, step, by, limit, route, status, consumer, ...options }: AnalyticsOptions) {
  return { query: { from, to, step, by, limit, route, status, consumer }, options };
}
