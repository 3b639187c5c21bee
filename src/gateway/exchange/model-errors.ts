import type { ModelApi, ModelsOperation } from "../../core/artifact/models-schema.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import type { Problem } from "../../core/problems/problem.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** The format of errors on a models route: that of the API, for which clients are written. */
export type ModelErrorShape = ModelApi;

/** The shape of an operation's errors. `models` exists in both APIs. */
export function errorShapeOf(operation: ModelsOperation | string, headers: HttpHeaders): ModelErrorShape {
  if (operation.startsWith("messages")) return "anthropic";
  return operation.startsWith("models") && headers.has("anthropic-version") ? "anthropic" : "openai";
}

const openAiTypes: Partial<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

const anthropicTypes: Partial<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

const quotaDetail = "The quota of this period is used up.";

/** A rejection in the format of an API. */
export function modelErrorResponse(problem: Problem, shape: ModelErrorShape, requestId: string): HttpResponse {
  const { status, code, errors } = problem;
  const detail = code === "quota_exceeded" ? quotaDetail : problem.detail;
  const headers = new HttpHeaders({ "content-type": "application/json", "x-content-type-options": "nosniff" });
  headers.setOwn("x-request-id", requestId);
  for (const [name, value] of Object.entries(problem.headers ?? {})) headers.set(name, value);
  if (status === 401 && !headers.has("www-authenticate")) headers.setOwn("www-authenticate", "Bearer");
  if (code === "quota_exceeded") {
    // Official clients would sleep until the end of the period.
    headers.delete("retry-after");
    headers.setOwn("x-should-retry", "false");
  } else if (problem.retryAfterSeconds !== undefined) headers.setOwn("retry-after", String(problem.retryAfterSeconds));
  else if (status === 429 && !headers.has("retry-after")) headers.setOwn("retry-after", "1");
  const param = errors?.[0]?.pointer.slice(1).replaceAll("/", ".");
  return new HttpResponse(status, headers, errorJson(shape, { status, code, detail, param, requestId }));
}

interface ModelError {
  status: number;
  code: ProblemCode;
  detail: string;
  /** The member of the body that caused it. */
  param?: string | undefined;
  requestId: string;
}

function errorJson(shape: ModelErrorShape, error: ModelError): string {
  const { status, code, detail, param } = error;
  if (shape === "openai")
    return JSON.stringify({ error: { message: detail, type: openAiTypeOf(error), param: param ?? null, code } });
  const type = anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return JSON.stringify({ type: "error", error: { type, message: detail, code }, request_id: error.requestId });
}

function openAiTypeOf({ status, code }: ModelError): string {
  if (code === "quota_exceeded") return "insufficient_quota";
  return openAiTypes[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
}

/** An error in the middle of a stream, as the API's own. */
export function errorEvent(operation: ModelsOperation, error: ModelError): string {
  const { code, detail } = error;
  if (operation.startsWith("messages")) return `event: error\ndata: ${errorJson("anthropic", error)}\n\n`;
  if (operation !== "responses") return `data: ${errorJson("openai", error)}\n\n`;
  const data = { type: "error", code, message: detail, param: null, sequence_number: 0 };
  return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
}
