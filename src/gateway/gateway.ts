import type { TrafficCounter } from "../areas/analytics/traffic-counter.ts";
import type { DeploymentLogSink, LiveDeployment, LiveDeployments } from "../areas/deployments/live.ts";
import type { StartableVersion, Starter } from "../areas/deployments/starter.ts";
import type { GatewayAddresses } from "../core/hosts/addresses.ts";
import { requestIdOf } from "../core/http/request-id.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import { Problem } from "../core/problems/problem.ts";
import type { Clock } from "../lib/clock.ts";
import type { Found } from "../lib/path-router.ts";
import type { Egress } from "../platform/egress/egress.ts";
import { HttpHeaders } from "../platform/http1/headers.ts";
import { HttpClient } from "../platform/http1/http-client.ts";
import { deferred, type HttpRequest } from "../platform/http1/http-request.ts";
import { HttpResponse } from "../platform/http1/http-response.ts";
import { ProtocolError } from "../platform/http1/protocol-error.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { AccessReport } from "./access-report.ts";
import { type Arrival, Exchange, splitUrl } from "./exchange.ts";
import { prepareForTarget } from "./forwarded-headers.ts";
import { refuseForCode, runHandler } from "./handler.ts";
import { clientGoneStatus, UpstreamProxy } from "./proxy.ts";
import { refuse } from "./refusal.ts";
import { RunningDeployments } from "./running-deployments.ts";
import type { RunningRoute, ServingVersion } from "./running-route.ts";
import type { PolicyFactory, RunningVersion } from "./running-version.ts";
import { type Sandboxes, SandboxFailure } from "./sandbox/protocol.ts";
import { countRequest } from "./traffic-report.ts";

export interface GatewayOptions {
  live: LiveDeployments;
  logs: DeploymentLogSink;
  sandboxes: Sandboxes;
  egress: Egress;
  policies: PolicyFactory;
  addresses: GatewayAddresses;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Undefined: requests are not counted for analytics. */
  traffic?: TrafficCounter | undefined;
}

/** The data plane: finds the deployment that a request is for, leads it past its policies to its target, and tells of it. */
export class Gateway implements Starter {
  readonly #deployments: RunningDeployments;
  readonly #report: AccessReport;
  readonly #proxy: UpstreamProxy;
  readonly #client = new HttpClient();

  constructor(private readonly options: GatewayOptions) {
    const { addresses, metrics } = options;
    this.#report = new AccessReport(options);
    this.#proxy = new UpstreamProxy(options.egress, this.#client, (exchange, answer) => this.#leave(exchange, answer));
    this.#deployments = new RunningDeployments({
      ...options,
      protocol: addresses.protocol,
      onGone: (name) => metrics.gateway.forget(name),
    });
  }

  /** Undefined: the request is not for a deployment. */
  handle(request: HttpRequest): typeof deferred | undefined {
    const host = request.headers.get("host");
    const name = host === null ? undefined : this.options.addresses.nameIn(host);
    if (name === undefined) return undefined;
    const { path, search } = splitUrl(request.target);
    const arrival: Arrival = {
      request,
      requestId: requestIdOf(request),
      ip: request.ip,
      host: host!,
      now: this.options.clock.now(),
      started: performance.now(),
      path,
      search,
    };
    const version = this.#deployments.get(name);
    if (version) this.#serve(version, arrival);
    else void this.#serveCold(name, arrival);
    return deferred;
  }

  prepare(version: StartableVersion): Promise<void> {
    return this.#deployments.prepare(version);
  }

  /** A deployment points to another version, or is gone. Resolves when this node has followed. */
  deploymentChanged(name: string, live: LiveDeployment | undefined): Promise<void> {
    return this.#deployments.changed(name, live);
  }

  async stop(): Promise<void> {
    this.#client.close();
    await this.#deployments.stop();
  }

  async #serveCold(name: string, arrival: Arrival): Promise<void> {
    let answer: HttpResponse;
    try {
      const version = await this.#deployments.load(name);
      if (version) {
        this.#serve(version, arrival);
        return;
      }
      answer = refuse(arrival, "deployment_not_found");
    } catch {
      // Told once by what tried to start it, not again for each request.
      answer = refuse(arrival, "deployment_unavailable", { retryAfterSeconds: 1 });
    }
    this.#report.unserved(arrival, name, answer.status);
    reply(answer, arrival, undefined);
  }

  #serve(version: RunningVersion, arrival: Arrival): void {
    version.enter(arrival.started);
    const found = version.router.find(arrival.path);
    const running = typeof found === "object" ? routeFor(found, arrival.request.method) : undefined;
    if (running) {
      const exchange = new Exchange(arrival, version, running, (found as Found<RunningRoute>).params);
      prepareForTarget(exchange.headers, arrival, this.options.addresses.protocol);
      this.#enter(exchange);
    } else this.#finish(arrival, version, this.#answerWithoutRoute(arrival, version, found), undefined);
  }

  /** Past the policies that are still before it, and to its target. Waits only for what is not there yet. */
  #enter(exchange: Exchange): void {
    const { policies } = exchange.running;
    try {
      const isFirst = exchange.method === "OPTIONS" && exchange.entered === 0;
      const preflight = isFirst ? preflightAnswer(policies, exchange) : undefined;
      if (preflight) {
        this.#leave(exchange, preflight);
        return;
      }
      while (exchange.entered < policies.length) {
        const entering = policies[exchange.entered]!.enter?.(exchange);
        if (entering instanceof Promise) {
          entering.then(
            (answer) => this.#entered(exchange, answer),
            (error: unknown) => this.#leave(exchange, this.#failed(exchange, error)),
          );
          return;
        }
        if (entering) {
          this.#leave(exchange, entering);
          return;
        }
        exchange.entered += 1;
      }
      this.#reach(exchange);
    } catch (error) {
      this.#leave(exchange, this.#failed(exchange, error));
    }
  }

  #entered(exchange: Exchange, answer: HttpResponse | undefined): void {
    if (answer) {
      this.#leave(exchange, answer);
      return;
    }
    exchange.entered += 1;
    this.#enter(exchange);
  }

  #reach(exchange: Exchange): void {
    const { target } = exchange.route;
    if ("upstream" in target) {
      this.#proxy.ask(exchange, target.upstream);
      return;
    }
    const { protocol } = this.options.addresses;
    runHandler(exchange, exchange.version.code, target.handler, protocol).then(
      (answer) => this.#leave(exchange, answer),
      (error: unknown) => this.#leave(exchange, this.#failed(exchange, error)),
    );
  }

  /** Back through the policies that it has passed: whatever happened, each of them sees an answer leave. */
  #leave(exchange: Exchange, first: HttpResponse): void {
    const { policies } = exchange.running;
    let answer = first;
    while (exchange.entered > 0) {
      exchange.entered -= 1;
      try {
        const leaving = policies[exchange.entered]!.leave?.(exchange, answer) ?? answer;
        if (leaving instanceof Promise) {
          leaving.then(
            (left) => this.#leave(exchange, left),
            (error: unknown) => this.#leaveFailed(exchange, answer, error),
          );
          return;
        }
        answer = leaving;
      } catch (error) {
        answer.discard();
        answer = this.#failed(exchange, error);
      }
    }
    this.#finish(exchange.arrival, exchange.version, answer, exchange);
  }

  /** Does not throw: nobody is left who would answer. */
  #finish(arrival: Arrival, version: ServingVersion, answer: HttpResponse, exchange: Exchange | undefined): void {
    try {
      this.#report.answered(arrival, version, answer.status, exchange);
      if (this.options.traffic) countRequest(this.options.traffic, arrival, version, answer, exchange);
    } catch (error) {
      this.options.log.error("a request could not be told of", { requestId: arrival.requestId, error });
    }
    version.leave();
    reply(answer, arrival, exchange?.answerHeaders);
  }

  #leaveFailed(exchange: Exchange, answer: HttpResponse, error: unknown): void {
    answer.discard();
    this.#leave(exchange, this.#failed(exchange, error));
  }

  #answerWithoutRoute(
    arrival: Arrival,
    version: RunningVersion,
    found: Found<RunningRoute> | "malformed" | undefined,
  ): HttpResponse {
    if (found === undefined) return refuse(arrival, "no_such_route");
    if (found === "malformed") return refuse(arrival, "malformed_path");
    const allow = allowedMethods(found).join(", ");
    if (arrival.request.method !== "OPTIONS") return refuse(arrival, "method_not_allowed", { headers: { allow } });
    // A browser that asks before it calls is answered by the policies of what it is about to call.
    const asked = arrival.request.headers.get("access-control-request-method");
    const route = asked === null ? undefined : routeFor(found, asked);
    const answer = route && preflightAnswer(route.policies, new Exchange(arrival, version, route, found.params));
    return answer ?? new HttpResponse(204, new HttpHeaders({ allow }));
  }

  #failed(exchange: Exchange, error: unknown): HttpResponse {
    if (error instanceof SandboxFailure) return refuseForCode(exchange, error);
    if (error instanceof Problem) {
      const { code, detail, errors, headers, retryAfterSeconds } = error;
      return refuse(exchange, code, {
        detail,
        ...(errors ? { errors } : {}),
        ...(headers ? { headers } : {}),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    // A policy that reads the body learns so from it, and neither is the server's fault.
    if (exchange.request.isAborted) return new HttpResponse(clientGoneStatus);
    if (exchange.request.body?.failure instanceof ProtocolError) return refuse(exchange, "malformed_request");
    this.options.log.error("a request to a deployment failed", { requestId: exchange.requestId, error });
    return refuse(exchange, "internal_error");
  }
}

/** HEAD is GET without its body, where nothing else is declared. TRACE and CONNECT are for proxies of another kind. */
function routeFor({ targets }: Found<RunningRoute>, method: string): RunningRoute | undefined {
  if (method === "TRACE" || method === "CONNECT") return undefined;
  return targets[method] ?? (method === "HEAD" ? targets.GET : undefined);
}

function allowedMethods({ targets }: Found<RunningRoute>): string[] {
  const methods = new Set(Object.keys(targets).filter((method) => method !== "TRACE"));
  if (methods.has("GET")) methods.add("HEAD");
  methods.add("OPTIONS");
  return [...methods];
}

function preflightAnswer(policies: RunningRoute["policies"], exchange: Exchange): HttpResponse | undefined {
  for (const policy of policies) {
    const answer = policy.preflight?.(exchange);
    if (answer) return answer;
  }
  return undefined;
}

/** What every answer carries, whoever gave it. */
function reply(answer: HttpResponse, { request, requestId }: Arrival, more: HttpHeaders | undefined): void {
  const { headers } = answer;
  headers.setOwn("x-request-id", requestId);
  if (more) headers.setAll(more);
  request.respond(answer);
}
