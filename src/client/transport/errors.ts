import type { OAuthError, Problem } from "./schema.gen.ts";

/** A field of the request and what is wrong with it. */
export type FieldError = NonNullable<Problem["errors"]>[number];

export interface TollgateErrorFields {
  status: number;
  code: string;
  detail: string;
  errors?: FieldError[] | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * The error of a failed call.
 *
 * @example
 * ```ts
 * try {
 *   await client.consumers("main").create({ name: "acme" });
 * } catch (error) {
 *   if (!(error instanceof TollgateError) || error.code !== "consumer_exists") throw error;
 * }
 * ```
 */
export class TollgateError extends Error {
  override readonly name = "TollgateError";
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * A stable code: one of the server's (docs/errors.md), or one of the client's own: `network` (no connection, or a
   * lost one), `timeout`, `unexpected_answer` (a response that is not from a Tollgate server, such as a proxy's),
   * `account_required` (the operator must name an account), `invalid_parameter` (a name that no resource can have, or a
   * token or another option that no request can contain).
   */
  readonly code: string;
  /** The message for people. */
  readonly detail: string;
  /** The invalid fields of the request, each with a message. */
  readonly errors: FieldError[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** The time to wait before a retry. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, code, detail, errors = [], requestId, retryAfterSeconds, cause }: TollgateErrorFields) {
    super(detail, { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function invalidParameter(detail: string): TollgateError {
  return new TollgateError({ status: 0, code: "invalid_parameter", detail });
}

/** The error of a response that is not 2xx. */
export function rejection(response: Response, text: string): TollgateError {
  const { status, headers } = response;
  const seen = { status, requestId: headers.get("x-request-id") ?? undefined, retryAfterSeconds: retryAfter(headers) };
  const problem = problemIn(text);
  if (problem) return new TollgateError({ ...seen, ...problem });
  const location = headers.get("location");
  const detail = location
    ? `The server is elsewhere: ${status} leads to ${location}. Give the client that address.`
    : `The response was ${status} ${response.statusText}, and not from a Tollgate server. Is the address right?`;
  return new TollgateError({ ...seen, code: "unexpected_answer", detail });
}

/** The error of the API, or that of OAuth, which the token exchange returns. */
function problemIn(text: string): Pick<TollgateErrorFields, "code" | "detail" | "errors"> | undefined {
  try {
    const body = JSON.parse(text) as Partial<Problem & OAuthError> | null;
    if (body?.code !== undefined && body.detail !== undefined)
      return { code: body.code, detail: body.detail, errors: body.errors };
    if (body?.error !== undefined && body.error_description !== undefined)
      return { code: body.error, detail: body.error_description };
  } catch {
    // Not a response of the server.
  }
  return undefined;
}

/** Proxies may send a date, which our server never does; the client then uses its default delay. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
