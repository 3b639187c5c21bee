import { formatDateTime } from "../lib/time.ts";
import { titles } from "../problems/catalogue.ts";
import type { Problem } from "../problems/problem.ts";

/** A response before it is sent: plain data, so that it can be stored and sent again. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

export function jsonAnswer(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

export function emptyAnswer(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: null };
}

export function problemAnswer(problem: Problem, request: { path: string; requestId: string; now: number }): Answer {
  const headers: Record<string, string> = { "content-type": "application/problem+json", ...problem.headers };
  if (problem.status === 401) headers["www-authenticate"] = 'Bearer realm="tollgate"';
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
  return { status: problem.status, headers, body: JSON.stringify(body) };
}
