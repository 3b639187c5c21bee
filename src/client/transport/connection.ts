import { TollgateError } from "./errors.ts";
import type { RequestOptions } from "./options.ts";
import { isRetryable, pauseBefore, type Waiting } from "./retry.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ConnectionSettings {
  fetch: Fetch;
  retries: number;
  /** The timeout of each attempt. */
  timeoutMs: number;
  waiting: Waiting;
}

/** A request, which may take several attempts. */
export interface PreparedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: RequestInit["body"] | undefined;
  /** Whether a retry is safe although the server may have processed the request. */
  isRepeatable: boolean;
  options?: RequestOptions | undefined;
}

/** `retry` is 0 for the first attempt. */
type ResponseHandler<Result> = (response: Response, retry: number) => Promise<Result>;

/** Sends requests with timeouts and with retries where they are safe. */
export class Connection {
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  async send<Result>(request: PreparedRequest, read: ResponseHandler<Result>): Promise<Result> {
    const { retries, waiting } = this.#settings;
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.attempt(request, (response) => read(response, retry));
      } catch (error) {
        if (!(error instanceof TollgateError) || retry >= retries || !isRetryable(error, request.isRepeatable))
          throw error;
        const pause = pauseBefore(retry, error.retryAfterSeconds, waiting.random);
        if (pause === undefined) throw error;
        await this.sleep(pause, request.options?.signal);
      }
    }
  }

  /** Sends the request once. */
  async attempt<Result>(request: PreparedRequest, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { fetch, timeoutMs: defaultTimeoutMs } = this.#settings;
    const { method, url, headers, body, options: { signal, timeoutMs = defaultTimeoutMs } = {} } = request;
    signal?.throwIfAborted();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        // The response handler rejects redirects: a POST would become a GET, and the token would be sent to another server.
        redirect: "manual",
        // `fetch` requires it for bodies that are streams.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      } as RequestInit);
      return await read(response);
    } catch (error) {
      if (error instanceof TollgateError) throw error;
      if (signal?.aborted) throw signal.reason;
      if (timeout.signal.aborted) throw timedOut(url, timeoutMs, error);
      throw unreachable(url, error);
    } finally {
      clearTimeout(timer);
    }
  }

  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#settings.waiting.sleep(milliseconds, signal);
  }
}

function timedOut(url: string, timeoutMs: number, cause: unknown): TollgateError {
  const detail = `${new URL(url).origin} did not respond within ${timeoutMs} ms.`;
  return new TollgateError({ status: 0, code: "timeout", detail, cause });
}

function unreachable(url: string, cause: unknown): TollgateError {
  const detail = `Cannot connect to ${new URL(url).origin}, or the connection was lost: ${reasonOf(cause)}`;
  return new TollgateError({ status: 0, code: "network", detail, cause });
}

/** By code. The texts of Bun are advice for callers of `fetch`. */
const reasons: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the name has no address",
  ECONNRESET: "the connection was closed",
};

/** Node puts the reason into `cause`; Bun appends advice for callers of `fetch`, which is removed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = (error.cause instanceof Error ? error.cause : error) as Error & { code?: string };
  return (
    reasons[code ?? ""] ??
    (message.replace(/ fetching "[^"]*"\. For more information.*$/s, "") || code || error.message)
  );
}
