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
  try {
    const { origin } = await Promise.race([egress.locate(url), late]);
    const { pathname, search } = new URL(url);
    const headers = new HttpHeaders({ accept: "application/json", "accept-encoding": "identity" });
    const { response } = client.request({ origin, method: "GET", target: pathname + search, headers, body: undefined });
    response.catch(() => {});
    const { status, body } = await Promise.race([response, late]);
    if (status !== 200) throw new Error(`${url} responded with ${status}`);
    const bytes = await Promise.race([bytesOf(body), late]);
    if (!bytes || bytes.length > maxBodyBytes) throw new Error(`${url} responded with more than ${maxBodyBytes} bytes`);
    return JSON.parse(Buffer.from(bytes).toString());
  } finally {
    clearTimeout(timer);
    // Also aborts a request that timed out.
    client.close();
  }
}

async function bytesOf(body: HttpResponse["body"]): Promise<Uint8Array | undefined> {
  if (body instanceof Body) return body.bytes(maxBodyBytes);
  return typeof body === "string" ? Buffer.from(body) : (body ?? Buffer.alloc(0));
}
