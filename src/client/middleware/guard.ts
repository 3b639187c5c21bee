import { TollgateError } from "../transport/errors.ts";
import type { KeyVerification } from "../transport/schema.gen.ts";
import type { TollgateOptions } from "../transport/tollgate-options.ts";
import { KeyVerifier } from "../verification/key-verifier.ts";
import { type ProblemCode, type Rejection, rejectionOf } from "./problem.ts";

/** A value, or a function of the request that returns it. */
type PerRequest<Request, Value> = Value | ((request: Request) => Value);

/** `Request` is the framework's own. */
export interface MiddlewareOptions<Request> extends Pick<TollgateOptions, "account" | "fetch" | "userAgent"> {
  /** The URL of the Tollgate server, such as `https://tollgate.example.com`. */
  url: string;
  /** A token of the server. The role `verifier` is enough. */
  token: string;
  /** The key bucket of the callers. */
  bucket: string;
  /** The permission that the key must have. */
  permission?: PerRequest<Request, string | undefined>;
  /** The client address, for keys with `allowedIps`. By default the framework's, if it has one. */
  ip?: ((request: Request) => string | undefined) | undefined;
  /** The header of the key; `authorization` by default. */
  header?: string;
  /** The scheme before the key; `Bearer` by default in `authorization`, and none in other headers. */
  scheme?: string;
  /** What each request takes from the plan of its consumer; nothing by default. Several meters are taken together, or none. */
  consume?: PerRequest<Request, Consumption | undefined>;
  /**
   * Whether requests pass that a permission, a rate limit or a quota would reject: the caller has `observed`. Nothing of
   * it reaches the response.
   */
  observe?: boolean;
  /** What happens while the server cannot be reached: 503, which is the default, or the request passes without a consumer. */
  onUnavailable?: "reject" | "allow";
  /** How long to wait for the server; 2 seconds by default. */
  timeoutMs?: number;
}

/** Amounts of the plan of a consumer. */
export interface Consumption {
  /** The metering bucket with the plans, by its id or name. */
  bucketId: string;
  meters: Record<string, number>;
}

/** The caller of a request. */
export type Access = Omit<Extract<KeyVerification, { valid: true }>, "valid">;

/** The parts of a request that decide. Adapters read them from the framework's request. */
export interface SeenRequest {
  header(name: string): string | null | undefined;
  /** Without the query. */
  path: string;
  ip?: string | undefined;
}

export interface Passed {
  /** Undefined if the server is unavailable and `onUnavailable` is `allow`. */
  access: Access | undefined;
  /** Headers of the response. */
  headers: Record<string, string>;
  rejection?: undefined;
}

export type Decision = Passed | { rejection: Rejection };

const defaultTimeoutMs = 2_000;

/** Decides whether a request may pass. What all adapters share. */
export class Guard<Request> {
  readonly #options: MiddlewareOptions<Request>;
  readonly #verifier: KeyVerifier;
  readonly #header: string;
  /** In lower case, with the space that follows it. */
  readonly #prefix: string;
  readonly #challenge: string;

  /** Throws if `url` is not an http or https URL. */
  constructor(options: MiddlewareOptions<Request>) {
    const { url, token, account, fetch, userAgent, bucket, timeoutMs = defaultTimeoutMs } = options;
    const { header = "authorization" } = options;
    const scheme = options.scheme ?? (header.toLowerCase() === "authorization" ? "Bearer" : "");
    this.#options = options;
    // A retry would keep the caller waiting.
    this.#verifier = new KeyVerifier({ url, token, account, fetch, userAgent, timeoutMs, retries: 0 });
    this.#header = header.toLowerCase();
    this.#prefix = scheme === "" ? "" : `${scheme.toLowerCase()} `;
    const where = this.#header === "authorization" ? "" : `, header="${this.#header}"`;
    this.#challenge = `${scheme || "ApiKey"} realm="${bucket}"${where}`;
  }

  /** Throws if the server rejects the call itself, such as for a wrong token. */
  async decide(request: Request, seen: SeenRequest): Promise<Decision> {
    const { bucket, permission, ip, consume, observe, onUnavailable } = this.#options;
    const key = this.#keyOf(seen);
    if (key === undefined) return this.#reject("key_missing", seen, { "www-authenticate": this.#challenge });
    try {
      const verification = await this.#verifier.verify(bucket, key, {
        ip: ip ? ip(request) : seen.ip,
        permission: typeof permission === "function" ? permission(request) : permission,
        consume: typeof consume === "function" ? consume(request) : consume,
        observe,
      });
      return verification.valid ? pass(verification, observe) : this.#deny(verification, seen);
    } catch (error) {
      if (!isUnavailable(error)) throw configurationError(error);
      if (onUnavailable === "allow") return { access: undefined, headers: {} };
      return this.#reject("verification_unavailable", seen, { "retry-after": "1" });
    }
  }

  /** A header with another scheme contains no key. */
  #keyOf(seen: SeenRequest): string | undefined {
    const value = seen.header(this.#header) ?? "";
    if (!value.toLowerCase().startsWith(this.#prefix)) return undefined;
    return value.slice(this.#prefix.length).trim() || undefined;
  }

  #deny(
    { code, retryAfterSeconds, rateLimit }: Extract<KeyVerification, { valid: false }>,
    seen: SeenRequest,
  ): Decision {
    const problem = problemOf[code];
    const headers = limitHeaders(rateLimit);
    if (problem === "key_invalid" || problem === "key_expired" || problem === "key_disabled")
      headers["www-authenticate"] = `${this.#challenge}, error="invalid_token"`;
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    return this.#reject(problem, seen, headers);
  }

  #reject(code: ProblemCode, seen: SeenRequest, headers: Record<string, string>): Decision {
    const requestId = seen.header("x-request-id") ?? undefined;
    return { rejection: rejectionOf(code, { path: seen.path, requestId }, headers) };
  }
}

function pass({ valid: _, ...access }: Extract<KeyVerification, { valid: true }>, observe = false): Passed {
  return { access, headers: observe ? {} : limitHeaders(access.rateLimit) };
}

/** The server returns the state of the key's limit to calls that consume. */
function limitHeaders(limit: KeyVerification["rateLimit"]): Record<string, string> {
  if (!limit) return {};
  return {
    "ratelimit-limit": String(limit.limit),
    "ratelimit-remaining": String(limit.remaining),
    "ratelimit-reset": String(limit.resetSeconds),
  };
}

/** The gateway's codes of what verify-key returns. */
export const problemOf: Record<Extract<KeyVerification, { valid: false }>["code"], ProblemCode> = {
  malformed: "key_invalid",
  not_found: "key_invalid",
  expired: "key_expired",
  disabled: "key_disabled",
  consumer_suspended: "consumer_suspended",
  ip_required: "ip_not_allowed",
  ip_not_allowed: "ip_not_allowed",
  permission_missing: "permission_missing",
  rate_limited: "rate_limited",
  quota_exceeded: "quota_exceeded",
  no_subscription: "no_subscription",
  meter_not_in_plan: "meter_not_in_plan",
  spend_cap_reached: "spend_cap_reached",
  credit_exhausted: "credit_exhausted",
  payment_required: "payment_required",
};

/** Whether the server did not decide. Other errors, such as a wrong token, are errors of the configuration. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof TollgateError)) return false;
  const { status } = error;
  return (
    status === 429 ||
    status >= 500 ||
    (status === 0 && error.code !== "invalid_parameter" && error.code !== "account_required")
  );
}

/** Frameworks would send the status of a TollgateError, such as 401 for a wrong token, to the caller. */
function configurationError(error: unknown): unknown {
  if (!(error instanceof TollgateError)) return error;
  return new Error(`The middleware cannot verify keys: ${error.detail} (${error.code})`, { cause: error });
}
