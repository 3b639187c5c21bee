import { testHeader } from "../../areas/gateways/deployments/canary-releases/test-value.ts";
import type { TrafficCounter } from "../../areas/insight/analytics/traffic-counter.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import { isObserved, observationOf } from "../exchange/observation.ts";
import type { DoneDetail } from "../exchange/policy.ts";
import type { ServingVersion } from "../exchange/running-route.ts";
import { AccessReport, type AccessReportOptions } from "./access-report.ts";
import { holderOf } from "./holder.ts";

/** The maximum for each route: more would stay unused after a burst. */
const maxFreeMarks = 64;

interface CompletionOptions extends AccessReportOptions {
  /** If undefined, requests are not counted for analytics. */
  traffic?: TrafficCounter | undefined;
}

/** The end of a request: sends the response, counts it, and records the request after the policies' `done`. */
export class RequestCompletion {
  readonly #report: AccessReport;

  constructor(private readonly options: CompletionOptions) {
    this.#report = new AccessReport(options);
  }

  /** Responds to a request to a deployment that does not run. */
  unserved(incoming: IncomingRequest, deployment: string, response: HttpResponse): void {
    this.#report.unserved(incoming, deployment, response.status);
    reply(response, incoming, undefined);
  }

  /** Must not throw: no later code could respond. */
  finish(
    incoming: IncomingRequest,
    version: ServingVersion,
    response: HttpResponse,
    exchange: Exchange | undefined,
  ): void {
    // Read once: reading the clock is the most expensive part of counting a request.
    const milliseconds = performance.now() - incoming.started;
    try {
      this.#report.responded(incoming, version, response.status, milliseconds, exchange);
      version.counts?.add(isFailed(response.status, exchange), milliseconds, incoming.now + milliseconds);
      if (this.options.traffic) countRequest(this.options.traffic, incoming, version, response, milliseconds, exchange);
    } catch (error) {
      this.#notRecorded(incoming, error);
    }
    if (exchange && (exchange.modelCall || (exchange.running.awaitsDone && exchange.continued > 0)))
      incoming.request.doneListener = (wasSent) => this.#done(exchange, response.status, milliseconds, wasSent);
    else this.#record(incoming, version, response.status, milliseconds, exchange);
    version.leave();
    reply(response, incoming, exchange?.responseHeaders);
    exchange?.detachedResponse?.responded();
  }

  /** Called after the last byte of the response, or when the client disconnected. Resolves when the policies have finished. */
  #done(exchange: Exchange, status: number, milliseconds: number, wasSent: boolean): Promise<void> | undefined {
    const { incoming, version, running, continued } = exchange;
    const details: DoneDetail[] = [];
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
    const { modelCall } = exchange;
    // After the policies, which finish it too; without a policy `usage` only its record waits.
    const settled = modelCall?.finish(status);
    if (settled) waiting = [...(waiting ?? []), settled];
    const record = () => {
      if (exchange.modelUse) this.#report.usedModel(exchange.modelUse, exchange, incoming, version, status);
      this.#record(incoming, version, status, milliseconds, exchange);
    };
    if (waiting) return Promise.all(waiting).then(record);
    record();
    return undefined;
  }

  #record(
    incoming: IncomingRequest,
    version: ServingVersion,
    status: number,
    milliseconds: number,
    exchange: Exchange | undefined,
  ): void {
    try {
      if (exchange?.running.observing && this.options.traffic)
        countObserved(this.options.traffic, version, status, milliseconds, exchange);
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
}

/** Sends a response with the common headers. */
function reply(
  response: HttpResponse,
  { request, requestId, testedVersion }: IncomingRequest,
  more: HttpHeaders | undefined,
): void {
  const { headers } = response;
  headers.setOwn("x-request-id", requestId);
  if (more) headers.setAll(more);
  if (testedVersion !== undefined) headers.setOwn(testHeader, String(testedVersion));
  request.respond(response);
}

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
