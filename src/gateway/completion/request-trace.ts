import { type RequestOrigin, redactPath } from "../../platform/telemetry/log.ts";
import { formatTraceparent, newSpanId } from "../../platform/telemetry/trace-context.ts";
import type { RequestTrace, Span, Tracer } from "../../platform/telemetry/tracer.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import type { ModelUse } from "../exchange/model-use.ts";

/** Makes the target's span a child of the request's. A trace that began here has no vendor state. */
export function continueTrace(exchange: Exchange): void {
  const { trace, sampled } = exchange.incoming;
  if (!trace) return;
  const { headers } = exchange;
  exchange.targetSpanId = sampled ? newSpanId() : trace.spanId;
  headers.setOwn("traceparent", formatTraceparent({ ...trace, spanId: exchange.targetSpanId }));
  if ("parentSpanId" in trace && trace.parentSpanId === undefined) headers.delete("tracestate");
}

/** Exports the spans of a request: its own, one for each policy that ran, its target, and its storage operations. */
export function traceGatewayRequest(
  tracer: Tracer,
  trace: RequestTrace,
  request: { incoming: IncomingRequest; exchange: Exchange | undefined; origin: RequestOrigin; status: number },
): void {
  const { incoming, exchange, origin, status } = request;
  const { traceId, spanId, parentSpanId } = trace;
  // Converts a time of the monotonic clock.
  const timeOf = (moment: number) => incoming.now + (moment - incoming.started);
  const route = exchange?.route.path;
  const attributes: Span["attributes"] = {
    "http.request.method": origin.method,
    "url.path": origin.path,
    "http.response.status_code": status,
    "tollgate.request_id": incoming.requestId,
  };
  if (route !== undefined) attributes["http.route"] = route;
  if (origin.deployment !== undefined) attributes["tollgate.deployment"] = origin.deployment;
  if (origin.account !== undefined) attributes["tollgate.account"] = origin.account;
  if (origin.caller !== undefined) attributes["tollgate.consumer"] = origin.caller;
  const code = (exchange ?? incoming).rejection;
  if (code !== undefined) attributes["error.type"] = code;
  const own: Span = {
    traceId,
    spanId,
    parentSpanId,
    name: route === undefined ? origin.method : `${origin.method} ${route}`,
    kind: "server",
    start: incoming.now,
    end: timeOf(performance.now()),
    attributes,
    error: status >= 500 ? String(code ?? status) : undefined,
  };
  const parts = exchange
    ? [...policySpans(exchange, trace, timeOf), ...targetSpans(exchange, trace, timeOf, status)]
    : [];
  tracer.add([own, ...parts, ...trace.spans]);
}

type TimeOf = (moment: number) => number;

function policySpans(
  { running, marks, stoppedAt, isPreflight, incoming }: Exchange,
  trace: RequestTrace,
  timeOf: TimeOf,
): Span[] {
  if (!marks || isPreflight) return [];
  return running.steps.slice(0, stoppedAt + 1).map(({ policy, type }, at) => ({
    traceId: trace.traceId,
    spanId: newSpanId(),
    parentSpanId: trace.spanId,
    name: `policy ${policy}`,
    kind: "internal",
    start: timeOf(at === 0 ? incoming.started : marks[at - 1]!),
    end: timeOf(marks[at]!),
    attributes: { "tollgate.policy.type": type },
  }));
}

/** One span for the sandbox, or one for each attempt to reach the upstream; the upstream continues the last one. */
function targetSpans(exchange: Exchange, trace: RequestTrace, timeOf: TimeOf, status: number): Span[] {
  const { route, running, marks, stoppedAt, targetEnded, targetSpanId, incoming, method, rejection } = exchange;
  if (!marks || stoppedAt !== running.policies.length || targetSpanId === undefined) return [];
  const isUpstream = "upstream" in route.target || exchange.targetUrl !== undefined;
  const span = (start: number, end: number): Omit<Span, "spanId" | "attributes"> => ({
    traceId: trace.traceId,
    parentSpanId: trace.spanId,
    name: isUpstream ? `upstream ${method}` : "sandbox",
    kind: isUpstream ? "client" : "internal",
    start: timeOf(start),
    end: timeOf(end),
  });
  let started = marks.length > 0 ? marks.at(-1)! : incoming.started;
  if (!isUpstream) {
    const attributes = { "code.file.path": (route.target as { handler: string }).handler };
    return [{ ...span(started, targetEnded), spanId: targetSpanId, attributes, error: rejection }];
  }
  const request = { "http.request.method": method, "url.path": redactPath(exchange.path) };
  const resend = (count: number): Span["attributes"] => (count === 0 ? {} : { "http.request.resend_count": count });
  const failed = exchange.failedAttempts ?? [];
  const spans = failed.map(({ ended, reason, address }, index): Span => {
    const attributes: Span["attributes"] = { ...request, ...resend(index), "error.type": reason };
    if (address !== undefined) attributes["network.peer.address"] = address;
    const attempt = { ...span(started, ended), spanId: newSpanId(), attributes, error: reason };
    started = ended;
    return attempt;
  });
  const model = exchange.modelUse && modelAttributes(exchange.modelUse);
  const attributes = { ...request, ...resend(failed.length), "http.response.status_code": status, ...model };
  return [...spans, { ...span(started, targetEnded), spanId: targetSpanId, attributes, error: rejection }];
}

const operationNames: Record<string, string> = { embeddings: "embeddings", "messages/count_tokens": "count_tokens" };

/** The semantic conventions for generative AI. The input includes cached tokens there. */
function modelAttributes(use: ModelUse): Span["attributes"] {
  const { operation, api, model, servedModel, input, cached, cacheWrite, output } = use;
  return {
    "gen_ai.operation.name": operationNames[operation] ?? "chat",
    "gen_ai.provider.name": api,
    "gen_ai.request.model": model,
    ...(servedModel !== undefined && { "gen_ai.response.model": servedModel }),
    "gen_ai.usage.input_tokens": input + cached + cacheWrite,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": cached,
    "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
    "tollgate.model.alias": use.alias,
    "tollgate.model.provider": use.provider,
    "tollgate.model.usage_basis": use.basis,
  };
}
