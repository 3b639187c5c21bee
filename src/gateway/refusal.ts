import { problemResponse, toResponse } from "../core/http/response.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import { type FieldError, Problem } from "../core/problems/problem.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";
import { splitTarget } from "../platform/http1/target.ts";
import { StorageUnavailable } from "../platform/storage/errors.ts";
import type { Passage } from "./policy.ts";

export interface RefusalOptions {
  detail?: string;
  headers?: Record<string, string>;
  errors?: FieldError[];
  retryAfterSeconds?: number;
}

/** What is needed of a request to refuse it; it may have found no route. */
type Refused = Pick<Passage, "request" | "requestId" | "now"> & Partial<Pick<Passage, "refusal" | "refusalDetail">>;

/** The gateway's own refusals, in the shape of the management API's. */
export function refuse(passage: Refused, code: ProblemCode, options?: RefusalOptions): HttpResponse {
  const problem = new Problem(code, options);
  passage.refusal = code;
  passage.refusalDetail = reasonOf(problem);
  const { requestId, now } = passage;
  const { path } = splitTarget(passage.request.target);
  return toResponse(problemResponse(problem, { path, requestId, now }), requestId);
}

/** One request must not fill a log. */
const mostErrors = 5;

/** For the log: which fields are wrong says more than that some are. */
function reasonOf({ detail, errors }: Problem): string {
  if (!errors || errors.length === 0) return detail;
  return errors
    .slice(0, mostErrors)
    .map((error) => `${error.pointer} ${error.detail}`)
    .join("; ");
}

/** For what memory does not know while storage is away. Every other error is thrown on. */
export function refuseWhileAway(passage: Refused, error: unknown): HttpResponse {
  if (!(error instanceof StorageUnavailable)) throw error;
  return refuse(passage, "storage_unavailable", { retryAfterSeconds: 1 });
}
