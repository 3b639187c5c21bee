import { formatDateTime } from "../lib/time.ts";
import { titles } from "../problems/catalogue.ts";
import type { Problem } from "../problems/problem.ts";

/** A response before it is sent: plain data, so that it can be stored and sent again. */
export interface Answer {
  status: number;
  /** Beside the content type and the request id. */
  headers: Record<string, string>;
  body: string | null;
  type: keyof typeof contentTypes;
}

/** Made once: a response copies them, which costs half of what building them from a plain object does. */
const contentTypes = {
  json: new Headers({ "content-type": "application/json" }),
  problem: new Headers({ "content-type": "application/problem+json" }),
  none: new Headers(),
};

/** To HEAD too: the server leaves the body out by itself, and still tells its length. */
export function toResponse(answer: Answer, requestId: string): Response {
  const headers = contentTypes[answer.type];
  // Set on what is copied, not on the copy: that is cheaper, and every answer has one.
  headers.set("x-request-id", requestId);
  const response = new Response(answer.body, { status: answer.status, headers });
  for (const name in answer.headers) response.headers.set(name, answer.headers[name]!);
  return response;
}

export function jsonAnswer(body: string): Answer {
  return { status: 200, headers: {}, body, type: "json" };
}

export function emptyAnswer(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: null, type: "none" };
}

export function problemAnswer(problem: Problem, request: { path: string; requestId: string; now: number }): Answer {
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
