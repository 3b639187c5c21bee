import type { Egress } from "../../platform/egress/egress.ts";
import { HttpClient } from "../../platform/http1/client/http-client.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

const timeoutMilliseconds = 5_000;
const maxBodyBytes = 1024 * 1024;

/**
 * Fetches a JSON document through the egress rules. Follows no redirects; takes at most 5 s and 1 MiB. Throws if the response is not
 * 200 with JSON.
 */
export async function fetchJson(egress: Egress, url: string): Promise<unknown> {
  const { promise: late, reject: expire } = Promise.withResolvers<never>();
  late.catch(() => {});
  const timer = setTimeout(() => expire(new Error(`${url} did not respond within 5 s`)), timeoutMilliseconds);
  const client = new HttpClient();
  let cancel: ((reason: Error) => void) | undefined;
  try {
    const { origin } = await Promise.race([egress.locate(url), late]);
    const { pathname, search } = new URL(url);
    const headers = new HttpHeaders({ accept: "application/json", "accept-encoding": "identity" });
    const sent = client.request({ origin, method: "GET", target: pathname + search, headers, body: undefined });
    sent.response.catch(() => {});
    cancel = (reason) => sent.pending.cancel(reason);
    const { status, body } = await Promise.race([sent.response, late]);
    if (body instanceof Body) cancel = () => body.cancel();
    if (status !== 200) throw new Error(`${url} responded with ${status}`);
    const bytes = await Promise.race([bytesOf(body), late]);
    if (!bytes || bytes.length > maxBodyBytes) throw new Error(`${url} responded with more than ${maxBodyBytes} bytes`);
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    // Otherwise a provider that does not respond would keep one connection for each attempt.
    cancel?.(error as Error);
    throw error;
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

async function bytesOf(body: HttpResponse["body"]): Promise<Uint8Array | undefined> {
  if (body instanceof Body) return body.bytes(maxBodyBytes);
  return typeof body === "string" ? Buffer.from(body) : (body ?? Buffer.alloc(0));
}
