import { HttpClient } from "../http1/client/http-client.ts";
import { Body } from "../http1/message/body.ts";
import { HttpHeaders } from "../http1/message/headers.ts";
import type { HttpResponse } from "../http1/message/http-response.ts";
import type { Egress } from "./egress.ts";

const defaultMaxBytes = 1024 * 1024;

interface FetchOptions {
  timeoutSeconds: number;
  method?: string;
  headers?: Iterable<readonly [name: string, value: string]>;
  body?: string | Uint8Array | undefined;
  /** The default is 1 MiB. */
  maxBytes?: number;
  /** What errors call the server: by default its URL. */
  name?: string;
  /** Ends the request, because the server stops. */
  signal?: AbortSignal | undefined;
}

export interface Fetched {
  status: number;
  headers: HttpHeaders;
  bytes: Uint8Array;
}

/** Fetches a small document through the egress rules. Follows no redirects; takes at most `maxBytes`. Throws if there is no response. */
export async function fetchBytes(egress: Egress, url: string, options: FetchOptions): Promise<Fetched> {
  const { timeoutSeconds, method = "GET", headers: given = [], body, signal } = options;
  const { maxBytes = defaultMaxBytes, name = url } = options;
  const { promise: late, reject: expire } = Promise.withResolvers<never>();
  late.catch(() => {});
  const expired = () => expire(new Error(`${name} did not respond within ${timeoutSeconds} s`));
  const timer = setTimeout(expired, timeoutSeconds * 1000);
  const stop = () => expire(new Error("the server was stopped"));
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  const client = new HttpClient();
  let cancel: ((reason: Error) => void) | undefined;
  try {
    const { origin } = await Promise.race([egress.locate(url), late]);
    const { pathname, search } = new URL(url);
    const headers = new HttpHeaders(given);
    headers.set("accept-encoding", "identity");
    const sent = client.request({ origin, method, target: pathname + search, headers, body });
    sent.response.catch(() => {});
    cancel = (reason) => sent.pending.cancel(reason);
    const response = await Promise.race([sent.response, late]);
    const { body: received } = response;
    if (received instanceof Body) cancel = () => received.cancel();
    const bytes = await Promise.race([bytesOf(received, maxBytes), late]);
    if (!bytes || bytes.length > maxBytes) throw new Error(`${name} responded with more than ${maxBytes} bytes`);
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    // Otherwise a server that does not respond would keep one connection for each attempt.
    cancel?.(error as Error);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    client.close();
  }
}

async function bytesOf(body: HttpResponse["body"], maxBytes: number): Promise<Uint8Array | undefined> {
  if (body instanceof Body) return body.bytes(maxBytes);
  return typeof body === "string" ? Buffer.from(body) : (body ?? Buffer.alloc(0));
}
