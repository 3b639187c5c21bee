import type { TrafficCounter } from "../../areas/analytics/traffic-counter.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import { isObserved, observationOf } from "../exchange/observation.ts";
import type { ServingVersion } from "../exchange/running-route.ts";
import { holderOf } from "./holder.ts";

/** Counts a request whose response is about to be sent. Bodies of unknown length are counted at their end. */
export function countRequest(
  traffic: TrafficCounter,
  incoming: IncomingRequest,
  { deployment }: ServingVersion,
  response: HttpResponse,
  milliseconds: number,
  exchange: Exchange | undefined,
): void {
  const { request, now } = incoming;
  const { status } = response;
  // Calls of a tool are counted apart from other requests to its operation.
  const route = incoming.parent?.counted ?? exchange?.running;
  const holder = exchange && holderOf(exchange);
  const consumer = holder?.user?.sub;
  const consumerId = holder?.consumerId;
  const keyId = holder?.keyId;
  const client = exchange?.client ?? incoming.parent?.client ?? exchange?.mcp?.client;
  const isBodiless = request.method === "HEAD" || status === 204 || status === 304 || status === 101;
  const bytesIn = request.body === undefined ? 0 : request.body.length;
  const bytesOut = isBodiless ? 0 : response.bodyLength;
  traffic.count(
    deployment,
    route,
    consumer,
    keyId,
    client,
    status,
    isRejected(status, exchange),
    bytesIn ?? 0,
    bytesOut ?? 0,
    milliseconds,
    now,
    consumerId,
  );
  if (bytesIn === undefined)
    whenOver(request.body!, (bytes) =>
      traffic.addBytes(deployment, route, consumer, keyId, client, status, bytes, 0, now, consumerId),
    );
  if (bytesOut === undefined)
    whenOver(response.body as Body, (bytes) =>
      traffic.addBytes(deployment, route, consumer, keyId, client, status, 0, bytes, now, consumerId),
    );
}

/**
 * Counts for each policy in `observe` a request that it has decided, and for the request whether one would have rejected
 * it. Called at the end of the request, when the response is known.
 */
export function countObserved(
  traffic: TrafficCounter,
  { deployment }: ServingVersion,
  status: number,
  milliseconds: number,
  exchange: Exchange,
): void {
  const { incoming, running, stoppedAt, client } = exchange;
  const { now, parent } = incoming;
  const { user, consumerId, keyId } = holderOf(exchange);
  const consumer = user?.sub;
  for (const step of running.observing!) {
    const found = step.at < stoppedAt ? observationOf(exchange, step.at) : undefined;
    if (step.at >= stoppedAt || (found && found.code === undefined)) continue;
    const rejected = isRejected(status, exchange);
    traffic.count(deployment, step, consumer, undefined, undefined, status, rejected, 0, 0, milliseconds, now);
    if (found) traffic.observe(deployment, step, consumer, undefined, undefined, status, now);
  }
  if (!isObserved(exchange)) return;
  const counted = parent?.counted ?? running;
  const program = client ?? parent?.client ?? exchange.mcp?.client;
  traffic.observe(deployment, counted, consumer, keyId, program, status, now, consumerId);
}

/** An idle connection that the upstream closed is normal, and the request is sent again. */
const closedWhileIdle = "connection_closed";

/** Whether a canary release counts the request as failed: a 5xx, or an attempt that failed before a retry. */
export function isFailed(status: number, exchange: Exchange | undefined): boolean {
  return status >= 500 || (exchange?.failedAttempts?.some(({ reason }) => reason !== closedWhileIdle) ?? false);
}

/** Only rejections by the gateway or a policy on a route: an upstream's 4xx is a normal response. */
function isRejected(status: number, exchange: Exchange | undefined): boolean {
  if (status < 400 || status >= 500 || exchange === undefined) return false;
  return exchange.rejection !== undefined || exchange.isRejectedByCode;
}

function whenOver(body: Body, count: (bytes: number) => void): void {
  body.whenOver = () => {
    if (body.received > 0) count(body.received);
  };
}
