import { AccountAnalyticsCalls, type AnalyticsOptions } from "./resources.gen.ts";

/** Counts of all requests to the deployments of the account, and of all calls of verify-key. */
export class AccountAnalytics extends AccountAnalyticsCalls {
  /**
   * Time series as CSV, with a row for each point of each series; of all deployments or of one.
   *
   * @example
   * ```ts
   * const csv = await client.analytics.csv({ deployment: "orders-main-3f9c2a1", by: "route", step: "1h" });
   * ```
   */
  csv({
    deployment,
    signal,
    timeoutMs,
    ...query
  }: AnalyticsOptions & { deployment?: string | undefined } = {}): Promise<string> {
    const call = { query, options: { signal, timeoutMs } };
    if (deployment === undefined) return this.transport.text("getAccountAnalytics", call, "text/csv");
    const params = { deploymentName: deployment };
    return this.transport.text("getDeploymentAnalytics", { params, ...call }, "text/csv");
  }
}
