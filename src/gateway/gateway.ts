import type { DeploymentLogSink, LiveDeployment, LiveDeployments } from "../deployments/live.ts";
import type { StartableVersion, Starter } from "../deployments/starter.ts";
import type { Egress } from "../egress/egress.ts";
import { requestIdOf } from "../http/request.ts";
import type { Clock } from "../lib/clock.ts";
import type { Found } from "../lib/path-router.ts";
import { Problem } from "../problems/problem.ts";
import { type Sandboxes, SandboxFailure } from "../sandbox/protocol.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { AccessReport } from "./access-report.ts";
import type { GatewayAddresses } from "./addresses.ts";
import { type Arrival, Exchange, ipOf, splitUrl } from "./exchange.ts";
import { prepareForTarget } from "./forwarded-headers.ts";
import { refuseForCode, runHandler } from "./handler.ts";
import { UpstreamProxy } from "./proxy.ts";
import { refuse } from "./refusal.ts";
import { RunningDeployments } from "./running-deployments.ts";
import type { PolicyFactory, RunningRoute, RunningVersion } from "./running-version.ts";
import { type BridgeData, bridgeHandlers, WebSocketBridge } from "./web-socket-bridge.ts";

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
}

/** The data plane: finds the deployment that a request is for, leads it past its policies to its target, and tells of it. */
export class Gateway implements Starter {
  /** For the server that hands its requests to `handle`. */
  readonly websocket = bridgeHandlers;
  readonly #deployments: RunningDeployments;
  readonly #report: AccessReport;
  readonly #proxy: UpstreamProxy;
  readonly #bridges = new Set<WebSocketBridge>();

  constructor(private readonly options: GatewayOptions) {
    const { addresses, metrics } = options;
    this.#report = new AccessReport(options);
    this.#proxy = new UpstreamProxy(options.egress);
    this.#deployments = new RunningDeployments({
      ...options,
      protocol: addresses.protocol,
      onGone: (name) => metrics.gateway.forget(name),
    });
  }

  /**
   * Undefined, not a promise of it: the request is not for a deployment. A promise of undefined: it has become a WebSocket.
   */
  handle(request: Request, server: Bun.Server<unknown>): Promise<Response | undefined> | undefined {
    const host = request.headers.get("host");
    const name = host === null ? undefined : this.options.addresses.nameIn(host);
    if (name === undefined) return undefined;
    const { path, search } = splitUrl(request.url);
    const arrival: Arrival = {
      request,
      server,
      requestId: requestIdOf(request),
      ip: ipOf(request, server),
      now: this.options.clock.now(),
      started: performance.now(),
      path,
      search,
    };
    const version = this.#deployments.get(name);
    return version ? this.#serve(version, arrival) : this.#serveCold(name, arrival);
  }

  prepare(version: StartableVersion): Promise<void> {
    return this.#deployments.prepare(version);
  }

  /** A deployment points to another version, or is gone. Resolves when this node has followed. */
  deploymentChanged(name: string, live: LiveDeployment | undefined): Promise<void> {
    return this.#deployments.changed(name, live);
  }

  async stop(): Promise<void> {
    for (const bridge of this.#bridges) bridge.end();
    await this.#deployments.stop();
  }

  async #serveCold(name: string, arrival: Arrival): Promise<Response | undefined> {
    let answer: Response;
    try {
      const version = await this.#deployments.load(name);
      if (version) return await this.#serve(version, arrival);
      answer = refuse(arrival, "deployment_not_found");
    } catch {
      // Told once by what tried to start it, not again for each request.
      answer = refuse(arrival, "deployment_unavailable", { retryAfterSeconds: 1 });
    }
    this.#report.unserved(arrival, name, answer.status);
    return finished(answer, arrival, undefined);
  }

  async #serve(version: RunningVersion, arrival: Arrival): Promise<Response | undefined> {
    version.enter(arrival.started);
    try {
      const found = version.router.find(arrival.path);
      const running = typeof found === "object" ? routeFor(found, arrival.request.method) : undefined;
      if (!running) {
        const answer = this.#answerWithoutRoute(arrival, found);
        this.#report.answered(arrival, version, answer.status, undefined, undefined);
        return finished(answer, arrival, undefined);
      }
      const exchange = new Exchange(arrival, running.route, (found as Found<RunningRoute>).params);

      // All of the way is in this one function, and it awaits only what is not there yet: each layer of `async` between
      // the upstream's promise and this one cost about 1 µs of 40. Whatever happens, a policy that let the request in
      // sees an answer leave.
      const { policies } = running;
      let answer: Response | undefined;
      let entered = 0;
      try {
        prepareForTarget(exchange.headers, arrival, this.options.addresses.protocol);
        if (exchange.method === "OPTIONS") answer = preflightAnswer(policies, exchange);
        while (answer === undefined && entered < policies.length) {
          const entering = policies[entered]!.enter?.(exchange);
          answer = entering instanceof Promise ? await entering : entering;
          if (answer === undefined) entered += 1;
        }
        if (answer === undefined) {
          answer = await this.#ask(exchange, version);
          if (exchange.waiting) answer = this.#proxy.received(exchange, answer);
        }
      } catch (error) {
        answer = exchange.waiting ? this.#proxy.failed(exchange, error) : this.#failed(exchange, error);
      }
      while (entered > 0) {
        entered -= 1;
        try {
          const leaving: Response | Promise<Response> = policies[entered]!.leave?.(exchange, answer) ?? answer;
          answer = leaving instanceof Promise ? await leaving : leaving;
        } catch (error) {
          answer = this.#failed(exchange, error);
        }
      }
      this.#report.answered(arrival, version, answer.status, running, exchange);
      finished(answer, arrival, exchange.answerHeaders);
      return exchange.upgrade ? exchange.upgrade(answer) : answer;
    } finally {
      version.leave();
    }
  }

  #ask(exchange: Exchange, version: RunningVersion): Promise<Response> {
    const { target } = exchange.route;
    const { addresses } = this.options;
    if ("handler" in target) return runHandler(exchange, version.code, target.handler, addresses.protocol);
    return exchange.isWebSocket ? this.#connect(exchange, target.upstream) : this.#proxy.ask(exchange, target.upstream);
  }

  async #connect(exchange: Exchange, upstream: string): Promise<Response> {
    const outcome = await WebSocketBridge.connect(exchange, upstream, this.options.egress, (bridge) =>
      this.#bridges.delete(bridge),
    );
    if (outcome instanceof Response) return outcome;
    exchange.upgrade = (answer) => this.#upgrade(exchange, outcome, answer);
    return new Response(null, { status: 101 });
  }

  /** The upstream has accepted and the policies have let the answer pass: the client is upgraded at last. */
  #upgrade(exchange: Exchange, bridge: WebSocketBridge, answer: Response): Response | undefined {
    const { request, arrival } = exchange;
    let instead = answer;
    if (answer.status === 101) {
      // Bun would choose the first that the client offers.
      request.headers.delete("sec-websocket-protocol");
      if (bridge.protocol !== "") answer.headers.set("sec-websocket-protocol", bridge.protocol);
      this.#bridges.add(bridge);
      const server = arrival.server as Bun.Server<BridgeData>;
      if (server.upgrade(request, { headers: answer.headers, data: { bridge } })) return undefined;
      this.#bridges.delete(bridge);
      instead = finished(refuse(exchange, "upgrade_failed"), arrival, exchange.answerHeaders);
    }
    bridge.end();
    return instead;
  }

  #answerWithoutRoute(arrival: Arrival, found: Found<RunningRoute> | "malformed" | undefined): Response {
    if (found === undefined) return refuse(arrival, "no_such_route");
    if (found === "malformed") return refuse(arrival, "malformed_path");
    const allow = allowedMethods(found).join(", ");
    if (arrival.request.method !== "OPTIONS") return refuse(arrival, "method_not_allowed", { headers: { allow } });
    // A browser that asks before it calls is answered by the policies of what it is about to call.
    const asked = arrival.request.headers.get("access-control-request-method");
    const route = asked === null ? undefined : routeFor(found, asked);
    const answer = route && preflightAnswer(route.policies, new Exchange(arrival, route.route, found.params));
    return answer ?? new Response(null, { status: 204, headers: { allow } });
  }

  #failed(exchange: Exchange, error: unknown): Response {
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

function preflightAnswer(policies: RunningRoute["policies"], exchange: Exchange): Response | undefined {
  for (const policy of policies) {
    const answer = policy.preflight?.(exchange);
    if (answer) return answer;
  }
  return undefined;
}

/** More than comes with the head in one go. */
const muchUnread = 16 * 1024;

/** What every answer carries, whoever gave it. */
function finished(
  answer: Response,
  { request, requestId }: Arrival,
  more: Record<string, string> | undefined,
): Response {
  const { headers } = answer;
  headers.set("x-request-id", requestId);
  for (const name in more) headers.set(name, more[name]!);
  // The next request could not be told from the rest of this one.
  if (leavesMuchUnread(request)) headers.set("connection", "close");
  return answer;
}

/** Its headers tell only a length: how it was transferred is forgotten by now. */
function leavesMuchUnread(request: Request): boolean {
  if (request.body === null || request.bodyUsed) return false;
  const length = request.headers.get("content-length");
  return length === null || Number(length) > muchUnread;
}
