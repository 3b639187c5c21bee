import { fetchErrorText } from "../../../lib/network/fetch-error.ts";
import type { Clock } from "../../../lib/time/clock.ts";

const requestMilliseconds = 30_000;
const badNonce = "urn:ietf:params:acme:error:badNonce";
const rateLimited = "urn:ietf:params:acme:error:rateLimited";

/** The authority is unreachable, or rejects the request. */
export class AcmeError extends Error {
  constructor(
    message: string,
    /** A limit of the account: other requests would fail too. */
    readonly isRateLimit = false,
    /** The value of the authority's `Retry-After` header. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export interface AcmeResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the text; an empty object if it is none. */
  body: object;
  /** The request was rejected for its nonce only, and can be sent again with another one. */
  isBadNonce: boolean;
}

export type AcmeRequest = (url: string, method: "GET" | "HEAD" | "POST", payload?: object) => Promise<AcmeResponse>;

interface AcmeRequestOptions {
  clock: Clock;
  /** PEM: trusted instead of the default authorities. */
  authority: string | undefined;
  signal(): AbortSignal;
}

interface AcmeProblem {
  type?: string;
  detail?: string;
}

/** Sends requests to an authority. Throws an AcmeError if it rejects one; the schedule in storage waits for `Retry-After`. */
export function acmeRequest({ clock, authority, signal }: AcmeRequestOptions): AcmeRequest {
  return async (url, method, payload) => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: { "content-type": "application/jose+json", "user-agent": "tollgate" },
        ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
        signal: AbortSignal.any([signal(), AbortSignal.timeout(requestMilliseconds)]),
        ...(authority === undefined ? {} : { tls: { ca: authority } }),
      });
      text = await response.text();
    } catch (error) {
      throw new AcmeError(`The authority at ${new URL(url).host} does not respond: ${fetchErrorText(error)}`);
    }
    const body = parsed(response, text);
    const isBadNonce = response.status >= 400 && body.type === badNonce;
    if (response.status >= 400 && !isBadNonce) throw errorOf(response, body, clock);
    return { status: response.status, headers: response.headers, text, body, isBadNonce };
  };
}

function errorOf({ status, headers }: Response, { type, detail }: AcmeProblem, clock: Clock): AcmeError {
  const isRateLimit = status === 429 || status === 503 || type === rateLimited;
  return new AcmeError(
    detail ?? `The authority returned ${status}`,
    isRateLimit,
    secondsOf(headers.get("retry-after"), clock),
  );
}

/** Seconds or a date. */
function secondsOf(retryAfter: string | null, clock: Clock): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - clock.now()) / 1000));
}

function isJson({ headers }: Response): boolean {
  return /\bjson\b/.test(headers.get("content-type") ?? "");
}

function parsed(response: Response, text: string): AcmeProblem {
  try {
    const value: unknown = isJson(response) ? JSON.parse(text) : undefined;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
