import type { TrafficCounter } from "../areas/analytics/traffic-counter.ts";
import type { DeploymentLogSink } from "../areas/deployments/logs/log-sink.ts";
import type { LiveDeployment, LiveDeployments } from "../areas/deployments/versions/live.ts";
import type { StartableVersion, Starter } from "../areas/deployments/versions/starter.ts";
import type { UpstreamStatus, UpstreamStatuses } from "../areas/deployments/versions/upstream-status.ts";
import type { DecisionDetail, RequestSink } from "../areas/requests/record.ts";
import type { GatewayAddresses } from "../core/hosts/addresses.ts";
import type { CustomDomain, CustomDomains } from "../core/hosts/custom-domains.ts";
import { requestIdOf } from "../core/http/request-id.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import { Problem } from "../core/problems/problem.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Egress } from "../platform/egress/egress.ts";
import { type ClientLimits, HttpClient } from "../platform/http1/client/http-client.ts";
import type { HttpHeaders } from "../platform/http1/message/headers.ts";
import { deferred, type HttpRequest } from "../platform/http1/message/http-request.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { ProtocolError } from "../platform/http1/message/protocol-error.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { sampledTrace, type Tracer, traceOf } from "../platform/telemetry/tracer.ts";
import { AccessReport } from "./access-report.ts";
import { BalancedCall } from "./balanced-call.ts";
import { BodyBuffers } from "./body-buffers.ts";
import type { ClientAddresses } from "./client-address.ts";
import { Exchange, type IncomingRequest, splitUrl } from "./exchange.ts";
import { prepareForTarget } from "./forwarded-headers.ts";
import { rejectForCode, runHandler } from "./handler.ts";
import { clientGoneStatus, UpstreamProxy } from "./proxy.ts";
import { reject, rejectBody } from "./rejection.ts";
import { continueTrace } from "./request-trace.ts";
import { preflightResponse, responseWithoutRoute, routeFor, undeclaredPreflight } from "./route-selection.ts";
import { RunningDeployments } from "./running-deployments.ts";
import type { ServingVersion } from "./running-route.ts";
import type { PolicyFactory, RunningVersion, SecretSource } from "./running-version.ts";
import { type Sandboxes, SandboxFailure } from "./sandbox/protocol.ts";
import { countRequest } from "./traffic-report.ts";
import { BalancedUpstream } from "./upstreams/balanced-upstream.ts";
import { Deadlines } from "./upstreams/deadlines.ts";
import { HealthChecks } from "./upstreams/health-checks.ts";
import { upstreamStatistics } from "./upstreams/statistics.ts";
import { LocalUpstreamStates, type UpstreamStates } from "./upstreams/upstream-states.ts";

/** The maximum for each route: more would stay unused after a burst. */
const maxFreeMarks = 64;

export interface GatewayOptions {
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
  /** The limit of all bodies that are buffered for code; 64 MiB by default. */
  bufferBytes?: number | undefined;
  /** In the memory of this process by default. */
  upstreamStates?: UpstreamStates;
  /** If undefined, requests are not counted for analytics. */
  traffic?: TrafficCounter | undefined;
}

/** The data plane: finds the deployment of a request, runs its policies and its target, and records it. */
export class Gateway implements Starter, UpstreamStatuses {
  readonly #deployments: RunningDeployments;
  readonly #report: AccessReport;
  readonly #proxy: UpstreamProxy;
  readonly #client: HttpClient;

  constructor(private readonly options: GatewayOptions) {
    const { addresses, metrics } = options;
    this.#client = new HttpClient(options.upstreamLimits);
    this.#report = new AccessReport(options);
    const deadlines = new Deadlines();
    this.#proxy = new UpstreamProxy(options.egress, this.#client, deadlines, (exchange, response) =>
      this.#stop(exchange, response),
    );
    const checks = new HealthChecks({ ...options, client: this.#client, deadlines });
    const states = options.upstreamStates ?? new LocalUpstreamStates();
    this.#deployments = new RunningDeployments({
      ...options,
      upstreams: {
        create: (upstream, labels, deployment) =>
          new BalancedUpstream(upstream, labels, { states, checks, deployment }),
      },
      protocol: addresses.protocol,
      buffers: new BodyBuffers(options.bufferBytes),
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
    const name = ownName ?? domain?.deploymentName;
    if (name === undefined) return undefined;
    const { path, search } = splitUrl(request.target);
    const trace = traceOf(request.headers.get("traceparent"), this.options.tracer);
    const incoming: IncomingRequest = {
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
    const version = this.#deployments.get(name);
    if (version && isOf(version, domain)) this.#serve(version, incoming);
    else void this.#serveCold(name, domain, incoming);
    return deferred;
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

  upstreams(name: string): readonly (UpstreamStatus | undefined)[] | undefined {
    const version = this.#deployments.get(name);
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

  async #serveCold(name: string, domain: CustomDomain | undefined, incoming: IncomingRequest): Promise<void> {
    let response: HttpResponse;
    try {
      const version = await this.#deployments.load(name);
      if (version && isOf(version, domain)) {
        this.#serve(version, incoming);
        return;
      }
      response = reject(incoming, "deployment_not_found");
    } catch {
      // The failed start is logged once, not for each request.
      response = reject(incoming, "deployment_unavailable", { retryAfterSeconds: 1 });
    }
    this.#report.unserved(incoming, name, response.status);
    reply(response, incoming, undefined);
  }

  #serve(version: RunningVersion, incoming: IncomingRequest): void {
    version.enter(incoming.started);
    const found = version.router.find(incoming.path);
    if (typeof found !== "object") {
      this.#finish(incoming, version, responseWithoutRoute(incoming, found), undefined);
      return;
    }
    const preflight = undeclaredPreflight(incoming, version, found);
    const running = preflight ? undefined : routeFor(found, incoming.request.method);
    if (running) {
      const exchange = new Exchange(incoming, version, running, found.params);
      if (this.options.requests.isOn || incoming.sampled)
        exchange.marks = running.freeMarks.pop() ?? new Float64Array(running.policies.length);
      const { protocol } = this.options.addresses;
      prepareForTarget(exchange.headers, incoming, incoming.request.forwarder, protocol, running.forwardHeaders);
      this.#enter(exchange);
    } else this.#finish(incoming, version, preflight ?? responseWithoutRoute(incoming, found), undefined);
  }

  /** Runs the remaining policies, then the target. Avoids promises where nothing is awaited. */
  #enter(exchange: Exchange): void {
    const { policies } = exchange.running;
    try {
      const isFirst = exchange.method === "OPTIONS" && exchange.entered === 0;
      const preflight = isFirst ? preflightResponse(policies, exchange) : undefined;
      if (preflight) {
        this.#leave(exchange, preflight);
        return;
      }
      while (exchange.entered < policies.length) {
        const policy = policies[exchange.entered]!;
        const { sampled } = exchange.incoming;
        const entering = sampled
          ? this.options.tracer!.run(sampled, () => policy.enter?.(exchange))
          : policy.enter?.(exchange);
        if (entering instanceof Promise) {
          entering.then(
            (response) => this.#entered(exchange, response),
            (error: unknown) => this.#stop(exchange, this.#failed(exchange, error)),
          );
          return;
        }
        if (entering) {
          this.#stop(exchange, entering);
          return;
        }
        if (exchange.marks) exchange.marks[exchange.entered] = performance.now();
        exchange.entered += 1;
      }
      this.#sendToTarget(exchange);
    } catch (error) {
      this.#stop(exchange, this.#failed(exchange, error));
    }
  }

  #entered(exchange: Exchange, response: HttpResponse | undefined): void {
    if (response) {
      this.#stop(exchange, response);
      return;
    }
    if (exchange.marks) exchange.marks[exchange.entered] = performance.now();
    exchange.entered += 1;
    this.#enter(exchange);
  }

  /** Called when a policy or the target responds. The remaining policies are not entered. */
  #stop(exchange: Exchange, response: HttpResponse): void {
    const { marks, entered } = exchange;
    exchange.stoppedAt = entered;
    if (marks && entered < marks.length) marks[entered] = performance.now();
    else if (marks) exchange.targetEnded = performance.now();
    this.#leave(exchange, response);
  }

  #sendToTarget(exchange: Exchange): void {
    const { origin, balanced } = exchange.running;
    if (this.options.tracer) continueTrace(exchange);
    if (origin) {
      this.#proxy.send(exchange, origin);
      return;
    }
    if (balanced) {
      new BalancedCall(exchange, balanced, this.#proxy).start();
      return;
    }
    const { target } = exchange.route;
    if (!("handler" in target))
      throw new Error(`The route ${exchange.route.path} leads nowhere: its policy did not respond.`);
    const { protocol } = this.options.addresses;
    exchange.attempts = 1;
    runHandler(exchange, exchange.version.code, target.handler, protocol).then(
      (response) => this.#stop(exchange, response),
      (error: unknown) => this.#stop(exchange, this.#failed(exchange, error)),
    );
  }

  /** Leaves the entered policies in reverse order. Each of them gets a response, whatever happened. */
  #leave(exchange: Exchange, first: HttpResponse): void {
    const { policies } = exchange.running;
    let response = first;
    while (exchange.entered > 0) {
      exchange.entered -= 1;
      try {
        const leaving = policies[exchange.entered]!.leave?.(exchange, response) ?? response;
        if (leaving instanceof Promise) {
          leaving.then(
            (left) => this.#leave(exchange, left),
            (error: unknown) => this.#leaveFailed(exchange, response, error),
          );
          return;
        }
        response = leaving;
      } catch (error) {
        response.discard();
        response = this.#failed(exchange, error);
      }
    }
    this.#finish(exchange.incoming, exchange.version, response, exchange);
  }

  /** Must not throw: no later code could respond. */
  #finish(
    incoming: IncomingRequest,
    version: ServingVersion,
    response: HttpResponse,
    exchange: Exchange | undefined,
  ): void {
    // Read once: reading the clock is the most expensive part of counting a request.
    const milliseconds = performance.now() - incoming.started;
    try {
      this.#report.responded(incoming, version, response.status, milliseconds, exchange);
      if (this.options.traffic) countRequest(this.options.traffic, incoming, version, response, milliseconds, exchange);
    } catch (error) {
      this.#notRecorded(incoming, error);
    }
    if (exchange?.running.awaitsDone && exchange.continued > 0)
      incoming.request.doneListener = (wasSent) => this.#done(exchange, response.status, milliseconds, wasSent);
    else this.#record(incoming, version, response.status, milliseconds, exchange);
    version.leave();
    reply(response, incoming, exchange?.responseHeaders);
  }

  /** Called after the last byte of the response, or when the client disconnected. */
  #done(exchange: Exchange, status: number, milliseconds: number, wasSent: boolean): void {
    const { incoming, version, running, continued } = exchange;
    const details: (DecisionDetail | undefined)[] = [];
    exchange.doneDetails = details;
    const failed = (error: unknown) =>
      this.options.log.error("a policy failed after the response", { requestId: incoming.requestId, error });
    let waiting: Promise<void>[] | undefined;
    for (let at = 0; at < continued; at++)
      try {
        const detail = running.policies[at]!.done?.(exchange, { status, wasSent });
        if (detail instanceof Promise) {
          waiting ??= [];
          waiting.push(
            detail.then((later) => {
              details[at] = later;
            }, failed),
          );
        } else details[at] = detail;
      } catch (error) {
        failed(error);
      }
    const record = () => this.#record(incoming, version, status, milliseconds, exchange);
    if (waiting) void Promise.all(waiting).then(record);
    else record();
  }

  #record(
    incoming: IncomingRequest,
    version: ServingVersion,
    status: number,
    milliseconds: number,
    exchange: Exchange | undefined,
  ): void {
    try {
      this.#report.record(incoming, version, status, milliseconds, exchange);
    } catch (error) {
      this.#notRecorded(incoming, error);
    }
    const { marks } = exchange ?? {};
    if (marks && exchange!.running.freeMarks.length < maxFreeMarks) exchange!.running.freeMarks.push(marks);
  }

  #notRecorded({ requestId }: IncomingRequest, error: unknown): void {
    this.options.log.error("a request could not be recorded", { requestId, error });
  }

  #leaveFailed(exchange: Exchange, response: HttpResponse, error: unknown): void {
    response.discard();
    this.#leave(exchange, this.#failed(exchange, error));
  }

  #failed(exchange: Exchange, error: unknown): HttpResponse {
    if (error instanceof SandboxFailure) return rejectForCode(exchange, error);
    if (error instanceof Problem) {
      const { code, detail, errors, headers, retryAfterSeconds } = error;
      return reject(exchange, code, {
        detail,
        ...(errors ? { errors } : {}),
        ...(headers ? { headers } : {}),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    // A policy that reads the body fails if the client aborts it, which is not a server error.
    if (exchange.request.isAborted) return new HttpResponse(clientGoneStatus);
    const bodyFailure = exchange.request.body?.failure;
    if (bodyFailure instanceof ProtocolError) return rejectBody(exchange, bodyFailure);
    this.options.log.error("a request to a deployment failed", { requestId: exchange.requestId, error });
    return reject(exchange, "internal_error");
  }
}

/**
 * After a deletion, another account can get the same deployment name; domains of the old deployment must not serve it.
 */
function isOf({ deployment }: RunningVersion, domain: CustomDomain | undefined): boolean {
  return domain === undefined || deployment.accountSeq === domain.accountSeq;
}

/** Sends a response with the common headers. */
function reply(response: HttpResponse, { request, requestId }: IncomingRequest, more: HttpHeaders | undefined): void {
  const { headers } = response;
  headers.setOwn("x-request-id", requestId);
  if (more) headers.setAll(more);
  request.respond(response);
}
