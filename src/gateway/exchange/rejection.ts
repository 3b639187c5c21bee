import type { DecisionDetail } from "../../areas/insight/request-log/request-record.ts";
import { problemResponse, toResponse } from "../../core/http/response.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import { type FieldError, Problem } from "../../core/problems/problem.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { ProtocolError } from "../../platform/http1/message/protocol-error.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import { errorShapeOf, type ModelErrorShape, modelErrorResponse } from "./model-errors.ts";
import type { RequestContext } from "./policy.ts";

/** The logged status of a request whose client disconnected before the response. */
export const clientGoneStatus = 499;

export interface RejectionOptions {
  detail?: string;
  headers?: Record<string, string>;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  /** The rule and its numbers, only for the request record. */
  decision?: DecisionDetail;
}

/** The parts of a request that a rejection needs; the request may have no route. */
type Rejectable = Pick<RequestContext, "request" | "requestId" | "now"> &
  Partial<Pick<RequestContext, "rejection" | "rejectionDetail" | "decisionDetail" | "route">> & {
    /** Of a request without a route, below the prefix of a models route. */
    errorShape?: ModelErrorShape | undefined;
  };

/**
 * The gateway's own problem responses, in the format of the management API; on a models route in that of the
 * operation's API.
 */
export function reject(context: Rejectable, code: ProblemCode, options?: RejectionOptions): HttpResponse {
  const problem = new Problem(code, options);
  context.rejection = code;
  context.rejectionDetail = reasonOf(problem);
  context.decisionDetail = options?.decision;
  const { requestId, now } = context;
  const shape = shapeOf(context);
  if (shape) return modelErrorResponse(problem, shape, requestId);
  const { path } = splitTarget(context.request.target);
  return toResponse(problemResponse(problem, { path, requestId, now }), requestId);
}

function shapeOf({ route, request, errorShape }: Rejectable): ModelErrorShape | undefined {
  if (!route || !("operation" in route.target)) return errorShape;
  return errorShapeOf(route.target.operation, request.headers);
}

/** Limits the errors of a request in the log. */
const maxErrors = 5;

/** The reason for the log: names the invalid fields. */
function reasonOf({ detail, errors }: Problem): string {
  if (!errors || errors.length === 0) return detail;
  return errors
    .slice(0, maxErrors)
    .map((error) => `${error.pointer} ${error.detail}`)
    .join("; ");
}

/** For a cache miss while storage is unavailable. Rethrows every other error. */
export function rejectWhileUnavailable(context: Rejectable, error: unknown): HttpResponse {
  if (!(error instanceof StorageUnavailable)) throw error;
  return reject(context, "storage_unavailable", {
    retryAfterSeconds: 1,
    decision: { reason: "storage_unavailable" },
  });
}

const codeOfStatus: Partial<Record<number, ProblemCode>> = { 408: "request_timeout", 413: "body_too_large" };

/** Rejects a request whose body was aborted or invalid because of its client. */
export function rejectBody(context: Rejectable, { status }: ProtocolError): HttpResponse {
  return reject(context, codeOfStatus[status] ?? "malformed_request");
}
