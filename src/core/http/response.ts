import { formatDateTime } from "../../lib/time/time.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { titles } from "../problems/catalogue.ts";
import type { Problem } from "../problems/problem.ts";

/** A response as plain data, so that it can be stored and replayed. */
export interface PlainResponse {
  status: number;
  /** In addition to Content-Type and X-Request-Id. */
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  type: keyof typeof sharedHeaders;
}

const nosniff = { "x-content-type-options": "nosniff" };

/** Headers common to all responses of a type, serialized once. */
const sharedHeaders = {
  json: new HttpHeaders({ "content-type": "application/json", ...nosniff }),
  problem: new HttpHeaders({ "content-type": "application/problem+json", ...nosniff }),
  none: new HttpHeaders(nosniff),
};

/** Also for HEAD: the server omits the body and keeps its Content-Length. */
export function toResponse({ status, headers, body, type }: PlainResponse, requestId: string): HttpResponse {
  const fields = new HttpHeaders();
  fields.share(sharedHeaders[type]);
  fields.setOwn("x-request-id", requestId);
  for (const name in headers) fields.set(name, headers[name]!);
  return new HttpResponse(status, fields, body ?? undefined);
}

/** For responses that do not pass through `toResponse`. */
export function withoutSniffing(response: HttpResponse): HttpResponse {
  response.headers.share(sharedHeaders.none);
  return response;
}

export function jsonResponse(body: string | Uint8Array): PlainResponse {
  return { status: 200, headers: {}, body, type: "json" };
}

export function emptyResponse(status: number, headers: Record<string, string> = {}): PlainResponse {
  return { status, headers, body: null, type: "none" };
}

export function problemResponse(
  problem: Problem,
  request: { path: string; requestId: string; now: number },
): PlainResponse {
  const headers: Record<string, string> = { ...problem.headers };
  if (problem.status === 401) headers["www-authenticate"] ??= 'Bearer realm="tollgate"';
  if (problem.retryAfterSeconds !== undefined) headers["retry-after"] = String(problem.retryAfterSeconds);
  const body = {
    type: `https://httpproblems.com/http-status/${problem.status}`,
    title: titles[problem.status],
    status: problem.status,
    detail: problem.detail,
    instance: request.path,
    code: problem.code,
    ...(problem.errors ? { errors: problem.errors } : {}),
    trace: { requestId: request.requestId, timestamp: formatDateTime(request.now) },
  };
  return { status: problem.status, headers, body: JSON.stringify(body), type: "problem" };
}
