import type { TryRequest, TryRequestResponse } from "../areas/gateways/deployments/try-requests/try-request.ts";
import { Problem } from "../core/problems/problem.ts";
import { Body } from "../platform/http1/message/body.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";

const maxBytes = 1024 * 1024;
const maxSeconds = 30;

/**
 * Sends a request into the gateway without a connection, and collects the response. `handle` gets the request, and
 * responds to it.
 */
export async function sendTryRequest(
  { method, host, target, headers, body, ip }: TryRequest,
  handle: (request: HttpRequest) => void,
): Promise<TryRequestResponse> {
  const received = Promise.withResolvers<HttpResponse>();
  const content = body === undefined ? undefined : Buffer.from(body);
  const head = new HttpHeaders([["host", host], ...headers]);
  if (content) head.set("content-length", String(content.length));
  const request = new HttpRequest(method, target, head, content && Body.of(content), ip, {
    respond: (_, response) => received.resolve(response),
  });
  const started = performance.now();
  let isLate = false;
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate = true;
    deadline.resolve();
    received.reject(new Problem("upstream_timeout"));
  }, maxSeconds * 1000);
  try {
    handle(request);
    const response = await received.promise;
    const durationMs = performance.now() - started;
    const requestId = response.headers.get("x-request-id")!;
    const { bytes, isTruncated } = await collect(method === "HEAD" ? undefined : response.body, deadline.promise);
    if (method === "HEAD" || response.tunnel) response.discard();
    request.done(!isTruncated);
    return {
      status: response.status,
      headers: shown(response.headers),
      body: bytes,
      isTruncated,
      durationMs,
      requestId,
    };
  } finally {
    clearTimeout(timer);
    if (isLate) {
      request.abort();
      request.done(false);
    }
  }
}

/** Reads the body until its end, its limit, or the deadline. */
async function collect(
  body: HttpResponse["body"],
  deadline: Promise<void>,
): Promise<{ bytes: Uint8Array; isTruncated: boolean }> {
  if (!(body instanceof Body)) {
    const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array());
    return { bytes: bytes.subarray(0, maxBytes), isTruncated: bytes.length > maxBytes };
  }
  const pieces: Buffer[] = [];
  let size = 0;
  let isComplete = false;
  const over = Promise.withResolvers<void>();
  body.consume({
    write: (piece) => {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) over.resolve();
      return size <= maxBytes;
    },
    end: () => {
      isComplete = true;
      over.resolve();
    },
    fail: () => over.resolve(),
  });
  await Promise.race([over.promise, deadline]);
  if (!isComplete) body.cancel();
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isTruncated: !isComplete || size > maxBytes };
}

function shown(headers: HttpHeaders): TryRequestResponse["headers"] {
  return [...headers].filter(([name]) => name.toLowerCase() !== "set-cookie").map(([name, value]) => ({ name, value }));
}
