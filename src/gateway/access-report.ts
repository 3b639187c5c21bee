import type { DeploymentLogSink } from "../areas/deployments/live.ts";
import type { GatewayMetrics, RouteRequests } from "../core/metrics/gateway-metrics.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import { ownCopy } from "../lib/own-copy.ts";
import { type Log, type RequestOrigin, redactPath, redactText } from "../platform/telemetry/log.ts";
import type { Arrival, Exchange } from "./exchange.ts";
import type { RunningRoute, ServingVersion } from "./running-route.ts";

/** Paths that lead nowhere are one route to the metrics: anybody could invent more of them. */
const unknownRoute = "unknown";

/** Each route remembers one: callers may send paths of 32 kB. */
const longestRemembered = 256;

/** Why a request got an error response, as far as the gateway knows. */
type Rejected = Partial<Pick<Exchange, "refusal" | "refusalDetail" | "failure">>;

/** Tells the owner of a deployment, the operator and the metrics of each request. */
export class AccessReport {
  constructor(private readonly options: { log: Log; logs: DeploymentLogSink; metrics: Metrics }) {}

  /** Without an exchange: the path led nowhere, or not with this method. */
  answered(arrival: Arrival, version: ServingVersion, status: number, exchange: Exchange | undefined): void {
    const route = exchange?.running;
    const { log, logs, metrics } = this.options;
    const { deploymentName, deploymentSeq } = version.deployment;
    const { requestId, now: time } = arrival;
    const milliseconds = performance.now() - arrival.started;
    const template = route?.route.path;
    const origin = originOf(arrival, version, route, exchange);
    const { method, path } = origin;

    requestsOf(metrics.gateway, deploymentName, route).add(status, milliseconds / 1000);
    log.request({ time, requestId, status, milliseconds, origin });
    if (!logs.takesAccess(deploymentSeq)) return;
    logs.add(deploymentSeq, {
      time,
      kind: "access",
      level: status >= 500 ? "warn" : "info",
      message: messageOf(`${method} ${path} ${status}`, exchange ?? arrival),
      requestId,
      method,
      path,
      ...(template === undefined ? undefined : { route: template }),
      status,
      durationMs: Math.round(milliseconds * 1000) / 1000,
      ...(exchange?.user === undefined ? undefined : { consumer: exchange.user.sub }),
    });
  }

  /** Nothing runs at the address. */
  unserved(arrival: Arrival, deployment: string, status: number): void {
    const { method } = arrival.request;
    const path = redactPath(arrival.path);
    const origin = { method, path, operation: undefined, caller: undefined, account: undefined, deployment };
    const milliseconds = performance.now() - arrival.started;
    this.options.log.request({ time: arrival.now, requestId: arrival.requestId, status, milliseconds, origin });
  }
}

function requestsOf(metrics: GatewayMetrics, deployment: string, route: RunningRoute | undefined): RouteRequests {
  if (!route) return metrics.of(deployment, unknownRoute);
  route.requests ??= metrics.of(deployment, route.route.path);
  return route.requests;
}

/** With the problem's code and detail where the gateway rejected the request, and what failed behind it. */
function messageOf(line: string, { refusal, refusalDetail, failure }: Rejected): string {
  if (refusal === undefined && failure === undefined) return line;
  const reasons = [refusal && `${refusal}: ${refusalDetail}`, failure && textOf(failure)].filter((reason) => reason);
  return `${line}: ${redactText(reasons.join(" "))}`;
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

function originOf(
  { request, path }: Arrival,
  { deployment }: ServingVersion,
  route: RunningRoute | undefined,
  exchange: Exchange | undefined,
): RequestOrigin {
  const { method } = request;
  const caller = exchange?.user?.sub;
  const last = route?.lastOrigin;
  if (last && route.lastPath === path && last.caller === caller && last.method === method) return last;
  const isRemembered = route !== undefined && path.length <= longestRemembered;
  const own = !isRemembered ? path : path === route.route.path ? route.route.path : ownCopy(path);
  const origin = {
    method,
    path: redactPath(own),
    operation: route?.route.operationId ?? route?.route.path,
    caller,
    account: deployment.accountName,
    deployment: deployment.deploymentName,
  };
  if (isRemembered) {
    route.lastPath = own;
    route.lastOrigin = origin;
  }
  return origin;
}
