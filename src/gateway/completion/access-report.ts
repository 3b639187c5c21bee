import type { ModelUsageCounter } from "../../areas/insight/analytics/model-usage-counter.ts";
import { isFailure, type RequestSink } from "../../areas/insight/request-log/request-record.ts";
import type { GatewayMetrics, RouteRequests } from "../../core/metrics/gateway-metrics.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { numberOf } from "../../lib/amount.ts";
import { ownCopy } from "../../lib/cache/own-copy.ts";
import { type Log, type RequestOrigin, redactPath } from "../../platform/telemetry/log.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import type { ClientAddresses } from "../exchange/client-address.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import type { ModelUse } from "../exchange/model-use.ts";
import { isObserved } from "../exchange/observation.ts";
import type { RunningRoute, ServingVersion } from "../exchange/running-route.ts";
import { requestRecordOf } from "./request-record.ts";
import { traceGatewayRequest } from "./request-trace.ts";

/** All unknown paths count as one route: callers could invent any number of them. */
const unknownRoute = "unknown";

/** Each route caches the last path; callers may send paths of 32 kB. */
const maxCachedLength = 256;

export interface AccessReportOptions {
  log: Log;
  requests: RequestSink;
  metrics: Metrics;
  /** The recorded part of client addresses. */
  clientAddresses?: ClientAddresses;
  tracer?: Tracer | undefined;
  /** If undefined, requests to models are not counted for analytics. */
  modelUsage?: ModelUsageCounter | undefined;
}

/** Records each request for its deployment, in the server's log and in the metrics. */
export class AccessReport {
  constructor(private readonly options: AccessReportOptions) {}

  /** Called right before the response is sent. Without an exchange if no route matches the path and method. */
  responded(
    incoming: IncomingRequest,
    version: ServingVersion,
    status: number,
    milliseconds: number,
    exchange: Exchange | undefined,
  ): void {
    const route = exchange?.running;
    const { log, metrics, tracer } = this.options;
    const { deployment } = version;
    const { requestId, now: time } = incoming;
    const origin = originOf(incoming, version, route, exchange);

    requestsOf(metrics.gateway, deployment.deploymentName, route).add(status, milliseconds / 1000);
    log.request({ time, requestId, status, milliseconds, origin, traceId: incoming.trace?.traceId });
    // The span of a request to a model has its tokens, which are known at the end.
    if (incoming.sampled && !exchange?.modelCall)
      traceGatewayRequest(tracer!, incoming.sampled, { incoming, exchange, origin, status });
  }

  /** Called when the response of a model has ended. */
  usedModel(
    use: ModelUse,
    { consumerId: id, user }: Exchange,
    incoming: IncomingRequest,
    { deployment }: ServingVersion,
    status: number,
  ): void {
    const now = incoming.now + Math.floor(performance.now() - incoming.started);
    this.options.modelUsage?.count(deployment.deploymentSeq, status, use, { id, name: user?.sub }, now);
    const { alias: model, provider, input, cached, cacheWrite, output } = use;
    this.options.metrics.gateway.models.add(
      { deployment: deployment.deploymentName, model, provider },
      { input, cached, cacheWrite, output, cost: numberOf(use.cost), charge: numberOf(use.charge ?? 0n) },
    );
  }

  /** Called at the end of a request. On routes with policies that have `done`, that is after the last byte. */
  record(
    incoming: IncomingRequest,
    version: ServingVersion,
    status: number,
    milliseconds: number,
    exchange: Exchange | undefined,
  ): void {
    const { requests, clientAddresses = "full", tracer } = this.options;
    const { deployment } = version;
    const origin = originOf(incoming, version, exchange?.running, exchange);
    if (incoming.sampled && exchange?.modelCall)
      traceGatewayRequest(tracer!, incoming.sampled, { incoming, exchange, origin, status });
    if (
      !requests.takes(deployment, isFailure(status) || (exchange !== undefined && isObserved(exchange)), incoming.now)
    )
      return;
    requests.add(deployment, requestRecordOf({ incoming, exchange, origin, status, milliseconds, clientAddresses }));
  }

  /** Records a request to a deployment that does not run. */
  unserved(incoming: IncomingRequest, deployment: string, status: number): void {
    const { method } = incoming.request;
    const path = redactPath(incoming.path);
    const origin = { method, path, operation: undefined, caller: undefined, account: undefined, deployment };
    const milliseconds = performance.now() - incoming.started;
    this.options.log.request({ time: incoming.now, requestId: incoming.requestId, status, milliseconds, origin });
  }
}

function requestsOf(metrics: GatewayMetrics, deployment: string, route: RunningRoute | undefined): RouteRequests {
  if (!route) return metrics.of(deployment, unknownRoute);
  route.requests ??= metrics.of(deployment, route.route.path);
  return route.requests;
}

function originOf(
  { request, path }: IncomingRequest,
  { deployment }: ServingVersion,
  route: RunningRoute | undefined,
  exchange: Exchange | undefined,
): RequestOrigin {
  const { method } = request;
  const caller = exchange?.user?.sub;
  const last = route?.lastOrigin;
  if (last && route.lastPath === path && last.caller === caller && last.method === method) return last;
  const isRemembered = route !== undefined && path.length <= maxCachedLength;
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
