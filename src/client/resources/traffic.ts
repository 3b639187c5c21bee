import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Traffic as DeploymentTraffic, TrafficSplit, TrafficTest } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Canary releases: a second version of a deployment that serves a share of the requests. */
export class Traffic {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The versions that serve a deployment, with their shares, counts and latencies.
   *
   * @example
   * ```ts
   * const { splits, lastCanary } = await client.traffic.get("orders-main-3f9c2a1");
   * for (const { versionNumber, share, counts } of splits) console.log(versionNumber, share, counts?.errorShare);
   * ```
   */
  get(deployment: string, options?: RequestOptions): Promise<DeploymentTraffic> {
    return this.#transport.call("getTraffic", { params: { deploymentName: deployment }, options });
  }

  /**
   * Divides requests between the live version and another one: starts a canary release, or changes the running one.
   *
   * @example
   * ```ts
   * await client.traffic.split("orders-main-3f9c2a1", {
   *   splits: [{ versionNumber: 3, weight: 95 }, { versionNumber: 4, weight: 5 }],
   *   abort: { errorShare: 0.05, minimumRequests: 100 },
   * });
   * ```
   */
  split(deployment: string, split: TrafficSplit, options?: ChangeOptions): Promise<DeploymentTraffic> {
    return this.#transport.call("splitTraffic", { params: { deploymentName: deployment }, body: split, options });
  }

  /**
   * Makes the canary the live version.
   *
   * @example
   * ```ts
   * await client.traffic.promote("orders-main-3f9c2a1");
   * ```
   */
  promote(deployment: string, options?: ChangeOptions & CreateOptions): Promise<DeploymentTraffic> {
    return this.#transport.call("promoteCanary", { params: { deploymentName: deployment }, body: {}, options });
  }

  /**
   * Ends the canary release: the live version serves all requests.
   *
   * @example
   * ```ts
   * await client.traffic.stop("orders-main-3f9c2a1");
   * ```
   */
  stop(deployment: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("stopCanary", { params: { deploymentName: deployment }, options });
  }

  /**
   * A request header that selects a version of the canary release for an hour.
   *
   * @example
   * ```ts
   * const { header, value } = await client.traffic.test("orders-main-3f9c2a1", 4);
   * await fetch("https://orders-main-3f9c2a1.gw.example/orders", { headers: { [header]: value } });
   * ```
   */
  test(deployment: string, versionNumber: number, options?: RequestOptions): Promise<TrafficTest> {
    const params = { deploymentName: deployment };
    return this.#transport.call("testVersion", { params, body: { versionNumber }, options });
  }
}
