import type { CanaryWatch, TestValues } from "../areas/gateways/deployments/canary-releases/canary-traffic.ts";
import type { DeploymentLogSink } from "../areas/gateways/deployments/logs/log-sink.ts";
import type {
  TryRequest,
  TryRequestResponse,
  TryRequestSender,
} from "../areas/gateways/deployments/try-requests/try-request.ts";
import type { LiveDeployment, LiveDeployments } from "../areas/gateways/deployments/versions/live.ts";
import type { StartableVersion, Starter } from "../areas/gateways/deployments/versions/starter.ts";
import type { UpstreamStatus, UpstreamStatuses } from "../areas/gateways/deployments/versions/upstream-status.ts";
import type { ModelUsageCounter } from "../areas/insight/analytics/model-usage-counter.ts";
import type { TrafficCounter } from "../areas/insight/analytics/traffic-counter.ts";
import type { RequestSink } from "../areas/insight/request-log/request-record.ts";
import type { GatewayAddresses } from "../core/hosts/addresses.ts";
import type { CustomDomain, CustomDomains } from "../core/hosts/custom-domains.ts";
import { mountedPath } from "../core/hosts/mount-table.ts";
import { requestIdOf } from "../core/http/request-id.ts";
import { describedResource } from "../core/http/resource-metadata.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Egress } from "../platform/egress/egress.ts";
import { type ClientLimits, HttpClient } from "../platform/http1/client/http-client.ts";
import { deferred, type HttpRequest } from "../platform/http1/message/http-request.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { formatTraceparent } from "../platform/telemetry/trace-context.ts";
import { sampledTrace, type Tracer, traceOf } from "../platform/telemetry/tracer.ts";
import { RequestCompletion } from "./completion/request-completion.ts";
import type { ClientAddresses } from "./exchange/client-address.ts";
import { Exchange, type IncomingRequest, splitUrl } from "./exchange/exchange.ts";
import { prepareForTarget } from "./exchange/forwarded-headers.ts";
import { type RejectionOptions, reject } from "./exchange/rejection.ts";
import type { RunningRoute, ServingVersion } from "./exchange/running-route.ts";
import { McpOnDemand } from "./mcp/on-demand.ts";
import { ModelsOnDemand } from "./models/on-demand.ts";
import { PolicyChain } from "./policy-chain.ts";
import { responseWithoutRoute, routeFor, undeclaredPreflight } from "./route-selection.ts";
import type { Sandboxes } from "./sandbox/protocol.ts";
import { sendTryRequest } from "./try-request.ts";
import { BalancedUpstream } from "./upstreams/balanced-upstream.ts";
import { UpstreamProxy } from "./upstreams/calls/proxy.ts";
import { Deadlines } from "./upstreams/deadlines.ts";
import { type Checkers, HealthChecks } from "./upstreams/health-checks.ts";
import { upstreamStatistics } from "./upstreams/statistics.ts";
import { LocalUpstreamStates, type UpstreamStates } from "./upstreams/upstream-states.ts";
import { RunningDeployments } from "./versions/running-deployments.ts";
import type { PolicyFactory, RunningVersion, SecretSource } from "./versions/running-version.ts";

interface GatewayOptions {
  live: LiveDeployments;
  logs: DeploymentLogSink;
  requests: RequestSink;
  /** The recorded part of client addresses. */
  clientAddresses?: ClientAddresses;
  sandboxes: Sandboxes;
  secrets: SecretSource;
  egress: Egress;
  policies: PolicyFactory;
  addresses: GatewayAddresses;
  /** Hosts in addition to those of `addresses`. */
  domains?: CustomDomains | undefined;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Exports spans of sampled requests. */
  tracer?: Tracer | undefined;
  /** Limits of connections to upstreams; unlimited by default. */
  upstreamLimits?: ClientLimits;
  /** The state of upstream targets; by default in the memory of this process. */
  upstreamStates?: UpstreamStates | undefined;
  /** Decides which process of the machine checks the health of a target. */
  checkers?: Checkers | undefined;
  /** If undefined, requests are not counted for analytics. */
  traffic?: TrafficCounter | undefined;
  /** If undefined, requests to models are not counted for analytics. */
  modelUsage?: ModelUsageCounter | undefined;
  /** If undefined, canary releases are served and not counted. */
  canaries?: CanaryWatch | undefined;
  /** If undefined, no value of `x-tollgate-version` is valid. */
  testValues?: TestValues | undefined;
}

/** The data plane: finds the deployment of a request, runs its policies and its target, and records it. */
export class Gateway implements Starter, UpstreamStatuses, TryRequestSender {
  readonly #deployments: RunningDeployments;
  readonly #completion: RequestCompletion;
  readonly #chain: PolicyChain;
  readonly #client: HttpClient;
  readonly #checks: HealthChecks;

  constructor(private readonly options: GatewayOptions) {
    const { addresses, metrics } = options;
    this.#client = new HttpClient(options.upstreamLimits);
    const deadlines = new Deadlines();
    const proxy = new UpstreamProxy(options.egress, this.#client, deadlines, (exchange, response) =>
      this.#chain.stop(exchange, response),
    );
    this.#completion = new RequestCompletion(options);
    this.#chain = new PolicyChain({
      ...options,
      proxy,
      models: new ModelsOnDemand(proxy, options.clock),
      mcp: new McpOnDemand({
        protocol: addresses.protocol,
        incoming: (request, outer, path, search) => this.#innerRequest(request, outer, path, search),
        enter: (incoming, { version }, { running, params }) => {
          version.enter(incoming.started);
          this.#enter(incoming, version, running, params);
        },
      }),
      completion: this.#completion,
    });
    const checks = new HealthChecks({ ...options, client: this.#client, deadlines });
    this.#checks = checks;
    const states = options.upstreamStates ?? new LocalUpstreamStates();
    this.#deployments = new RunningDeployments({
      ...options,
      upstreams: {
        create: (upstream, labels, deployment) =>
          new BalancedUpstream(upstream, labels, { states, checks, deployment }),
      },
      protocol: addresses.protocol,
      onGone: (name) => metrics.gateway.forget(name),
    });
    metrics.gateway.watchUpstreams(() => upstreamStatistics(this.#deployments.all));
  }

  /** Whether requests to the host are for a deployment, existing or not. */
  isHost(host: string): boolean {
    const { addresses, domains } = this.options;
    return addresses.nameIn(host) !== undefined || domains?.find(host) !== undefined;
  }

  /** Returns undefined if the request is not for a deployment. */
  handle(request: HttpRequest): typeof deferred | undefined {
    const host = request.headers.get("host");
    if (host === null) return undefined;
    const { addresses, domains } = this.options;
    const ownName = addresses.nameIn(host);
    const domain = ownName === undefined ? domains?.find(host) : undefined;
    let name = ownName ?? domain?.deploymentName;
    if (name === undefined) return undefined;
    const { path, search } = splitUrl(request.target);
    const resource = domain?.mounts && describedResource(path);
    const mount = domain?.mounts?.find(resource ?? path);
    if (typeof mount === "object") name = mount.deploymentName;
    const served = typeof mount === "object" && resource === undefined ? mountedPath(mount, path) : path;
    const incoming = this.#incoming(request, host, served, search);
    if (typeof mount === "object") {
      if (mount.path !== "/") incoming.mountPath = mount.path;
      if (mount.stripPath && mount.path !== "/") incoming.prefix = mount.path;
    } else if (domain?.mounts) {
      this.#reject(incoming, name, mount === "invalid" ? "malformed_path" : "no_such_route");
      return deferred;
    }
    this.#route(name, domain, incoming);
    return deferred;
  }

  try(tryRequest: TryRequest): Promise<TryRequestResponse> {
    const { deploymentName, host, asKey } = tryRequest;
    return sendTryRequest(tryRequest, (request) => {
      const { path, search } = splitUrl(request.target);
      const incoming = this.#incoming(request, host, path, search);
      if (asKey) incoming.asKey = asKey;
      this.#route(deploymentName, undefined, incoming);
    });
  }

  prepare(version: StartableVersion): Promise<void> {
    return this.#deployments.prepare(version);
  }

  /**
   * Call it when a deployment points to another version or was deleted. Resolves when this node has applied the change.
   */
  deploymentChanged(name: string, live: LiveDeployment | undefined): Promise<void> {
    return this.#deployments.changed(name, live);
  }

  /** Call it when any deployment may have changed. Resolves when this node has applied the changes. */
  deploymentsChanged(): Promise<void> {
    return this.#deployments.changedAny();
  }

  /** Checks the health of a target, because this process has become its checker. */
  check(targetKey: string): void {
    this.#checks.begin(targetKey);
  }

  upstreams(name: string, versionNumber: number): readonly (UpstreamStatus | undefined)[] | undefined {
    const live = this.#deployments.get(name);
    const version = [live, live?.canary?.version].find((one) => one?.deployment.versionNumber === versionNumber);
    if (!version) return undefined;
    const statuses: (UpstreamStatus | undefined)[] = [];
    for (const [index, upstream] of version.upstreams)
      statuses[index] = upstream.status(performance.now(), this.options.clock.now());
    return statuses;
  }

  async stop(): Promise<void> {
    this.#client.close();
    await this.#deployments.stop();
  }

  #incoming(request: HttpRequest, host: string, path: string, search: string): IncomingRequest {
    const trace = traceOf(request.headers.get("traceparent"), this.options.tracer);
    return {
      request,
      requestId: requestIdOf(request),
      ip: request.ip,
      host,
      now: this.options.clock.now(),
      started: performance.now(),
      path,
      search,
      trace,
      sampled: sampledTrace(trace),
    };
  }

  /** A request that the gateway makes itself, in the trace of another. */
  #innerRequest(request: HttpRequest, outer: IncomingRequest, path: string, search: string): IncomingRequest {
    const trace = traceOf(outer.trace ? formatTraceparent(outer.trace) : null, this.options.tracer);
    return {
      request,
      requestId: crypto.randomUUID(),
      ip: outer.ip,
      host: outer.host,
      now: this.options.clock.now(),
      started: performance.now(),
      path,
      search,
      trace,
      sampled: sampledTrace(trace),
    };
  }

  #enter(
    incoming: IncomingRequest,
    version: ServingVersion,
    running: RunningRoute,
    params: Readonly<Record<string, string>>,
  ): void {
    const exchange = new Exchange(incoming, version, running, params);
    incoming.request.account = version.deployment.accountSeq;
    if (this.options.requests.isOn || incoming.sampled)
      exchange.marks = running.freeMarks.pop() ?? new Float64Array(running.policies.length);
    if (running.mcp) exchange.credentials = credentialsOf(incoming.request, running.mcp.credentialHeaders);
    const { protocol } = this.options.addresses;
    const { forwarder } = incoming.request;
    exchange.clientHost = prepareForTarget(exchange.headers, incoming, forwarder, protocol, running.forwardHeaders);
    if (incoming.prefix !== undefined) exchange.headers.setOwn("x-forwarded-prefix", incoming.prefix);
    this.#chain.enter(exchange);
  }

  #route(name: string, domain: CustomDomain | undefined, incoming: IncomingRequest): void {
    const version = this.#deployments.get(name);
    if (version && isOf(version, domain)) this.#serve(version, incoming);
    else void this.#serveCold(name, domain, incoming);
  }

  async #serveCold(name: string, domain: CustomDomain | undefined, incoming: IncomingRequest): Promise<void> {
    try {
      const version = await this.#deployments.load(name);
      if (version && isOf(version, domain)) {
        this.#serve(version, incoming);
        return;
      }
      this.#reject(incoming, name, "deployment_not_found");
    } catch {
      // The failed start is logged once, not for each request.
      this.#reject(incoming, name, "deployment_unavailable", { retryAfterSeconds: 1 });
    }
  }

  /** Rejects a request that reaches no deployment. */
  #reject(incoming: IncomingRequest, name: string, code: ProblemCode, options?: RejectionOptions): void {
    this.#completion.unserved(incoming, name, reject(incoming, code, options));
  }

  #serve(live: RunningVersion, incoming: IncomingRequest): void {
    const version = live.canary ? live.canary.choose(incoming) : live;
    if (!version) {
      live.enter(incoming.started);
      this.#completion.finish(incoming, live, reject(incoming, "version_value_invalid"), undefined);
      return;
    }
    version.enter(incoming.started);
    const found = version.router.find(incoming.path);
    if (typeof found !== "object") {
      incoming.errorShape = version.errorShape(incoming);
      this.#completion.finish(incoming, version, responseWithoutRoute(incoming, found), undefined);
      return;
    }
    const preflight = undeclaredPreflight(incoming, version, found);
    const running = preflight ? undefined : routeFor(found, incoming.request.method);
    if (running) {
      this.#enter(incoming, version, running, found.params);
      return;
    }
    incoming.errorShape = version.errorShape(incoming);
    this.#completion.finish(incoming, version, preflight ?? responseWithoutRoute(incoming, found), undefined);
  }
}

/** The headers with which the caller authenticates. */
function credentialsOf({ headers }: HttpRequest, names: readonly string[]): [string, string][] {
  return names.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
}

/**
 * After a deletion, another account can get the same deployment name; domains of the old deployment must not serve it.
 */
function isOf({ deployment }: RunningVersion, domain: CustomDomain | undefined): boolean {
  return domain === undefined || deployment.accountSeq === domain.accountSeq;
}
