import type { CanaryTraffic, TestValues } from "../../areas/gateways/deployments/canary-releases/canary-traffic.ts";
import { testHeader } from "../../areas/gateways/deployments/canary-releases/test-value.ts";
import type { LiveCanary } from "../../areas/gateways/deployments/versions/live.ts";
import type { IncomingRequest } from "../exchange/exchange.ts";
import { unitHash } from "../upstreams/balancer.ts";
import type { CanaryRelease, RunningVersion } from "./running-version.ts";

/** Divides the requests to a deployment between its live version and the canary. */
export class RunningCanary implements CanaryRelease {
  readonly #credentialHeaders: readonly string[];

  constructor(
    private readonly live: RunningVersion,
    readonly version: RunningVersion,
    private split: LiveCanary,
    private readonly traffic: CanaryTraffic,
    private readonly testValues: TestValues | undefined,
  ) {
    this.#credentialHeaders = [...new Set([...live.credentialHeaders, ...version.credentialHeaders])];
    live.counts = traffic.live;
    version.counts = traffic.canary;
  }

  get id(): string {
    return this.split.id;
  }

  update(split: LiveCanary): void {
    this.split = split;
  }

  choose(incoming: IncomingRequest): RunningVersion | undefined {
    // A live version that serves nothing must not be unloaded: its canary would be too.
    this.live.lastUsed = incoming.started;
    const value = incoming.request.headers.get(testHeader);
    if (value !== null) return this.#tested(value, incoming);
    return this.#isForCanary(incoming) ? this.version : this.live;
  }

  #tested(value: string, incoming: IncomingRequest): RunningVersion | undefined {
    const { deployment } = this.live;
    const versionSeq = this.testValues?.open(value, deployment.deploymentSeq, incoming.now);
    const tested = [this.live, this.version].find((version) => version.deployment.versionSeq === versionSeq);
    if (tested) incoming.testedVersion = tested.deployment.versionNumber;
    return tested;
  }

  #isForCanary(incoming: IncomingRequest): boolean {
    const { share, stickyBy, versionSeq } = this.split;
    if (stickyBy === undefined) return Math.random() < share;
    const client = (stickyBy === "credential" ? this.#credentialOf(incoming) : undefined) ?? incoming.ip;
    return isAssigned(versionSeq, client, share);
  }

  #credentialOf({ request }: IncomingRequest): string | undefined {
    for (const name of this.#credentialHeaders) {
      const value = request.headers.get(name);
      if (value !== null) return value;
    }
    return undefined;
  }

  end(): void {
    this.live.counts = undefined;
    this.version.counts = undefined;
    this.traffic.end();
  }
}

/**
 * Whether a client is served by the canary. All nodes decide alike. A larger share keeps the clients of a smaller one,
 * and another version gets other clients.
 */
export function isAssigned(versionSeq: number, client: string, share: number): boolean {
  return unitHash(`${versionSeq}\n${client}`) < share;
}
