import type { LogEntry } from "../../src/areas/gateways/deployments/logs/log-sink.ts";
import type { LiveDeployment, LiveDeployments } from "../../src/areas/gateways/deployments/versions/live.ts";
import type { StartableVersion } from "../../src/areas/gateways/deployments/versions/starter.ts";
import type { RequestRecord } from "../../src/areas/insight/request-log/request-record.ts";
import type { Artifact, ArtifactRoute } from "../../src/core/artifact/artifact.ts";
import { GatewayAddresses } from "../../src/core/hosts/addresses.ts";
import type { CustomDomain } from "../../src/core/hosts/custom-domains.ts";
import { Metrics } from "../../src/core/metrics/metrics.ts";
import type { Policy } from "../../src/gateway/exchange/policy.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import type { Sandbox } from "../../src/gateway/sandbox/protocol.ts";
import { WorkerdSandboxes } from "../../src/gateway/sandbox/sandboxes.ts";
import { type Clock, systemClock } from "../../src/lib/time/clock.ts";
import { Egress, type EgressMode } from "../../src/platform/egress/egress.ts";
import type { BufferMemory } from "../../src/platform/http1/memory/buffer-memory.ts";
import { HttpResponse } from "../../src/platform/http1/message/http-response.ts";
import { HttpServer } from "../../src/platform/http1/server/http-server.ts";
import { Log } from "../../src/platform/telemetry/log.ts";
import { started, stopped } from "./left-running.ts";

export interface GatewayTestOptions {
  egress?: EgressMode;
  /** Policy types for artifacts, instead of the built-in ones. */
  policies?: Record<string, (options: unknown) => Policy>;
  /** Bounds what is buffered for clients. */
  memory?: BufferMemory;
  /** Custom domains by their hosts. */
  domains?: ReadonlyMap<string, CustomDomain>;
  clock?: Clock;
  /** Replaces DNS. */
  resolver?: { addresses(name: string): Promise<string[]> };
}

/** The deployments that a test defines. */
class DeploymentTable implements LiveDeployments {
  readonly live = new Map<string, LiveDeployment>();
  readonly artifacts = new Map<number, Artifact>();
  /** The number of artifact loads. */
  loads = 0;
  #next = 1;

  /** Points a deployment to a new version, and returns what a gateway prepares. */
  version(name: string, artifact: Artifact): StartableVersion {
    const versionSeq = this.#next++;
    this.artifacts.set(versionSeq, artifact);
    const deploymentSeq = this.live.get(name)?.deploymentSeq ?? versionSeq;
    const artifactHash = String(Bun.hash(JSON.stringify(artifact)));
    return {
      deploymentName: name,
      deploymentSeq,
      accountSeq: 1,
      accountName: "default",
      versionSeq,
      versionNumber: versionSeq,
      artifactHash,
      artifact,
    };
  }

  activate({ deploymentName: name, artifact: _, ...rest }: StartableVersion): void {
    this.live.set(name, { name, ...rest });
  }

  find(name: string): LiveDeployment | undefined {
    return this.live.get(name);
  }

  async artifact({ versionSeq }: Pick<LiveDeployment, "versionSeq">): Promise<Artifact> {
    this.loads += 1;
    const artifact = this.artifacts.get(versionSeq);
    if (!artifact) throw new Error("storage does not respond");
    return artifact;
  }
}

const noSecrets = {
  values: new Map(),
  limited: new Set<string>(),
  onChange: () => () => {},
  redact: (text: string) => text,
  close: () => {},
};

/** A gateway behind a real server. Requests that are not for a deployment get 418. */
export class TestGateway {
  readonly deployments = new DeploymentTable();
  readonly entries: LogEntry[] = [];
  readonly requests: RequestRecord[] = [];
  readonly logLines: string[] = [];
  /** The calls of code, such as `decide modules/a.ts`. */
  readonly sandboxCalls: string[] = [];
  readonly metrics = new Metrics();
  readonly gateway: Gateway;
  readonly server: HttpServer;
  readonly #sandboxes: WorkerdSandboxes;

  constructor(options: GatewayTestOptions = {}) {
    const egress = new Egress(options.egress ?? "any", options.resolver);
    this.#sandboxes = new WorkerdSandboxes({ egress, warn: (error) => this.logLines.push(String(error)) });
    this.gateway = new Gateway({
      live: this.deployments,
      logs: { add: (_, entry) => this.entries.push(entry) },
      requests: { isOn: true, takes: () => true, add: (_, record) => this.requests.push(record) },
      sandboxes: {
        start: async (given) => this.#recorded(await this.#sandboxes.start(given)),
        stop: () => this.#sandboxes.stop(),
      },
      secrets: { open: async () => noSecrets },
      egress,
      policies: {
        create: (type, policyOptions) => {
          const make = options.policies?.[type];
          if (!make) throw new Error(`There is no policy of the type ${type}.`);
          return make(policyOptions);
        },
      },
      addresses: new GatewayAddresses("http://{name}.localhost"),
      domains: { find: (host) => options.domains?.get(host), all: () => options.domains?.values() ?? [] },
      clock: options.clock ?? systemClock,
      log: new Log({ level: "info", readable: false, sink: { write: (text) => this.logLines.push(text) } }),
      metrics: this.metrics,
    });
    this.server = new HttpServer({
      address: { hostname: "127.0.0.1", port: 0 },
      now: () => systemClock.now(),
      ...(options.memory && { memory: options.memory }),
      handle: (request) => this.gateway.handle(request) ?? new HttpResponse(418),
      reject: ({ status }) => new HttpResponse(status),
      onError: (error) => {
        this.logLines.push(String(error));
        return new HttpResponse(500);
      },
    });
    started(this, "a gateway");
  }

  get port(): number {
    return this.server.port;
  }

  /** Prepares, activates and announces a version, like the node that built it. */
  async deploy(name: string, artifact: Artifact): Promise<StartableVersion> {
    const version = this.deployments.version(name, artifact);
    await this.gateway.prepare(version);
    this.deployments.activate(version);
    await this.changed(name);
    return version;
  }

  /** Announces a changed pointer, like the feed. */
  changed(name: string): Promise<void> {
    return this.gateway.deploymentChanged(name, this.deployments.find(name));
  }

  fetch(name: string, path: string, init: BunFetchRequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers as Bun.HeadersInit | undefined);
    headers.set("host", `${name}.localhost`);
    return fetch(`http://127.0.0.1:${this.port}${path}`, { redirect: "manual", decompress: false, ...init, headers });
  }

  #recorded(sandbox: Sandbox): Sandbox {
    const recorded = ["handle", "decide", "respond"];
    return new Proxy(sandbox, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...parameters: unknown[]) => {
          if (recorded.includes(String(name))) this.sandboxCalls.push(`${String(name)} ${parameters[0]}`);
          return method.apply(target, parameters);
        };
      },
    });
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.server.stop(0);
    await this.gateway.stop();
    await this.#sandboxes.stop();
  }
}

type RouteInput = Partial<ArtifactRoute> & Pick<ArtifactRoute, "path" | "target">;

export function artifactOf(routes: RouteInput[], more: Partial<Artifact> = {}): Artifact {
  return {
    format: 1,
    environment: {},
    policies: {},
    code: null,
    routes: routes.map((route) => ({ method: "GET", policies: [], timeoutSeconds: 10, ...route })),
    ...more,
  };
}
