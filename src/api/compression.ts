import type { PlainResponse } from "../core/http/response.ts";
import { acceptsGzip } from "../lib/http/accept-encoding.ts";
import { compressedTag } from "../lib/http/etag.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { Endpoint } from "./endpoint.ts";
import { showsSecrets } from "./redact.ts";

/** Smaller responses fit into one packet. */
const minLength = 1024;

/**
 * Compresses large JSON if the client accepts it. Responses with secrets are not compressed: their length would tell how
 * much of a secret is equal to text that a request adds to the response (BREACH). Synchronous for small responses.
 */
export function compressed(
  response: PlainResponse,
  request: HttpRequest,
  endpoint: Endpoint | undefined,
): PlainResponse | Promise<PlainResponse> {
  const { body, type } = response;
  if (body === null || body.length < minLength || type !== "json" || !endpoint || showsSecrets(endpoint))
    return response;
  response.headers.vary = "accept-encoding";
  return acceptsGzip(request.headers.get("accept-encoding")) ? gzipped(response, body) : response;
}

async function gzipped(response: PlainResponse, body: string | Uint8Array): Promise<PlainResponse> {
  const headers: Record<string, string> = { ...response.headers, "content-encoding": "gzip" };
  if (headers.etag !== undefined) headers.etag = compressedTag(headers.etag);
  return { ...response, headers, body: await gzip(body) };
}

/** In another thread: 100 kB of JSON take 0.4 ms. The module is loaded when it is needed, not at the start. */
export async function gzip(body: string | Uint8Array): Promise<Uint8Array> {
  const zlib = await import("node:zlib");
  return new Promise((resolve, reject) =>
    zlib.gzip(body, (error, compressed) => (error ? reject(error) : resolve(compressed))),
  );
}
