import {
  PageTooLarge,
  ReferenceViolation,
  StorageUnavailable,
  UniqueViolation,
} from "../../platform/storage/errors.ts";
import { catalogue, type ProblemCode } from "./catalogue.ts";

export interface FieldError {
  /** JSON pointer into the body, or `?name` for a query parameter, or a header's name. */
  pointer: string;
  detail: string;
}

interface ProblemOptions {
  detail?: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  /** For the operator's log. It is never sent to a client. */
  cause?: unknown;
}

/** An error for the client: thrown anywhere, sent as application/problem+json. */
export class Problem extends Error {
  readonly status: number;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    readonly code: ProblemCode,
    options: ProblemOptions = {},
  ) {
    super(options.detail ?? catalogue[code].text, { cause: options.cause });
    this.status = catalogue[code].status;
    this.detail = options.detail ?? catalogue[code].text;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }
}

/** Does not repeat the requested name, because users paste keys into paths. */
export function notFound(what: string): Problem {
  return new Problem("not_found", { detail: `No such ${what}.` });
}

/** Resolves to what is found. Throws `not_found` if it is undefined. */
export async function existing<Found>(found: Promise<Found | undefined>, what: string): Promise<Found> {
  const known = await found;
  if (known === undefined) throw notFound(what);
  return known;
}

export function invalid(pointer: string, detail: string): Problem {
  return invalidFields([{ pointer, detail }]);
}

/** Requires at least one error. */
export function invalidFields(errors: FieldError[]): Problem {
  const first = errors[0]!;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const where = first.pointer === "" ? "The body" : first.pointer;
  return new Problem("validation_failed", { detail: `${where} ${first.detail}${more}`, errors });
}

/** Returns what is found, or undefined where finding it throws `not_found`. */
export async function ifFound<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Throws a problem with this code if the row that is written violates a unique constraint. */
export async function rejectingTaken<Result>(code: ProblemCode, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UniqueViolation ? new Problem(code) : error;
  }
}

/** Converts a thrown value, including storage errors, to a Problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageUnavailable)
    return new Problem("storage_unavailable", { retryAfterSeconds: 1, cause: error.cause });
  if (error instanceof PageTooLarge)
    return invalid("?limit", `would return more than ${error.maxBytes / (1024 * 1024)} MiB: lower it`);
  if (error instanceof ReferenceViolation) return new Problem("conflict", { cause: error });
  return new Problem("internal_error", { cause: error });
}
