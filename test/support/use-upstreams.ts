import { afterAll, afterEach, beforeAll } from "bun:test";
import type { ArtifactUpstream } from "../../src/core/artifact/upstream-schema.ts";
import type { Policy } from "../../src/gateway/exchange/policy.ts";
import { artifactOf, TestGateway } from "./gateway.ts";
import { TestTarget } from "./target.ts";

type Options = Partial<Omit<ArtifactUpstream, "targets">> & { targets?: { url: string; weight?: number }[] };

const noDelay = 0.02;

export const retries = {
  attempts: 3,
  on: ["connect" as const, "reset" as const, "502" as const, "503" as const, "504" as const],
};
export const ejection = { consecutiveErrors: 2, seconds: noDelay, maxShare: 0.5 };
export const longEjection = { ...ejection, seconds: 600 };
export const health = { path: "/health", intervalSeconds: noDelay, unhealthyAfter: 2, healthyAfter: 2 };

/** Sets the user of a request from a header. */
const consumer = (): Policy => ({
  enter(context) {
    const sub = context.headers.get("x-consumer");
    if (sub !== null) context.user = { sub, data: {} };
    return undefined;
  },
});

/** Like `validate`, which reads bodies of up to 1 MiB. */
const reads = (): Policy => ({
  async enter(context) {
    context.body = await context.request.body?.bytes(1024 * 1024);
    return undefined;
  },
});

/** A gateway with the targets a, b and c for the tests of a file. Each test begins without deployments. */
export class UpstreamBench {
  readonly targets: TestTarget[] = [];
  /** The addresses of names; other names do not resolve. */
  readonly addresses = new Map<string, string[]>();
  #gateway: TestGateway | undefined;
  #deployments = 0;

  get gateway(): TestGateway {
    return this.#gateway!;
  }

  async start(): Promise<void> {
    const resolver = { addresses: async (name: string) => this.addresses.get(name) ?? [] };
    this.#gateway = new TestGateway({ resolver, policies: { consumer, reads } });
    this.targets.push(...(await Promise.all(["a", "b", "c"].map((name) => TestTarget.start(name)))));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await Promise.all(this.targets.map((target) => target.stop()));
  }

  async reset(): Promise<void> {
    for (const name of [...this.gateway.deployments.live.keys()]) {
      this.gateway.deployments.live.delete(name);
      await this.gateway.changed(name);
    }
    for (const target of this.targets) {
      target.treatment = 200;
      target.health = 200;
      target.requests.length = 0;
    }
  }

  readonly urls = (...names: string[]) =>
    names.map((name) => ({ url: this.targets.find((target) => target.name === name)!.url }));

  readonly artifactWith = ({ targets: given, ...options }: Options, timeoutSeconds = 10) => {
    const all = (given ?? this.urls("a", "b", "c")).map(({ url, weight = 1 }: { url: string; weight?: number }) => ({
      url,
      weight,
    }));
    const target = { upstream: all[0]!.url, balanced: 0 };
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];
    const routes = methods.map((method) => ({ path: "/{id}", method, target, timeoutSeconds }));
    return artifactOf(routes, { upstreams: [{ balance: "round-robin", ...options, targets: all }] });
  };

  /** Deploys an upstream, and returns functions that send requests to it. */
  readonly deploy = async (options: Options = {}, timeoutSeconds?: number) => {
    this.#deployments += 1;
    const name = `shop${this.#deployments}`;
    await this.gateway.deploy(name, this.artifactWith(options, timeoutSeconds));
    const send = (path = "/1", init: BunFetchRequestInit = {}) => this.gateway.fetch(name, path, init);
    /** The names of the targets that responded, or statuses. */
    const responders = async (count: number, init: BunFetchRequestInit = {}) => {
      const all: string[] = [];
      for (let at = 0; at < count; at += 1) {
        const response = await send("/1", init);
        const text = await response.text();
        all.push(response.headers.get("x-target") ? text : String(response.status));
      }
      return all;
    };
    return { name, send, responders };
  };

  /** The status of the targets of a deployment's first upstream. */
  readonly targetsOf = (name: string) =>
    this.gateway.gateway.upstreams(name, this.gateway.deployments.live.get(name)!.versionNumber)![0]!.targets;
}

export function useUpstreams(): UpstreamBench {
  const bench = new UpstreamBench();
  beforeAll(() => bench.start());
  afterEach(() => bench.reset());
  afterAll(() => bench.stop());
  return bench;
}
