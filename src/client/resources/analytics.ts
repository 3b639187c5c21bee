import type { Transport } from "../transport/transport.ts";
import { AccountAnalyticsCalls, type AnalyticsOptions } from "./resources.gen.ts";

/** Counts of all requests to the deployments of the account, and of all calls of verify-key. */
export class AccountAnalytics extends AccountAnalyticsCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
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
}

function analyticsCall({ signal, timeoutMs, ...query }: AnalyticsOptions) {
  return { query, options: { signal, timeoutMs } };
}
