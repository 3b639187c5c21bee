import type { RequestOrigin } from "../platform/telemetry/log.ts";
import type { RequestTrace, Span, Tracer } from "../platform/telemetry/tracer.ts";

interface TracedRequest {
  origin: RequestOrigin;
  /** The path template of the operation. Undefined if there is none. */
  route: string | undefined;
  requestId: string;
  status: number;
  start: number;
  milliseconds: number;
}

/** The spans of a management request: its own, and one for each storage operation. */
export function traceApiRequest(tracer: Tracer, trace: RequestTrace, request: TracedRequest): void {
  const { origin, route, requestId, status, start, milliseconds } = request;
  const { method, path, operation, account } = origin;
  const attributes: Span["attributes"] = {
    "http.request.method": method,
    "url.path": path,
    "http.response.status_code": status,
    "tollgate.request_id": requestId,
  };
  if (route !== undefined) attributes["http.route"] = route;
  if (operation !== undefined) attributes["tollgate.operation"] = operation;
  if (account !== undefined) attributes["tollgate.account"] = account;
  const { traceId, spanId, parentSpanId, spans } = trace;
  const own: Span = {
    traceId,
    spanId,
    parentSpanId,
    name: route === undefined ? method : `${method} ${route}`,
    kind: "server",
    start,
    end: start + milliseconds,
    attributes,
    error: status >= 500 ? String(status) : undefined,
  };
  tracer.add([own, ...spans]);
}
