import { Body } from "../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { peekWhole, readWhole, type Unread } from "../../platform/http1/message/read-whole.ts";
import type { RequestContext } from "./policy.ts";
import { reject } from "./rejection.ts";

/**
 * Buffers the body, which a policy may have replaced, and stores it in the context. Returns a rejection if it cannot.
 * @param observes whether the target gets the body as if it had not been read
 */
export async function readRequestBody(
  context: RequestContext,
  limit: number,
  observes = false,
): Promise<Buffer | HttpResponse> {
  const body = context.body ?? context.request.body;
  if (body === undefined) return Buffer.alloc(0);
  // A policy before this one has buffered it.
  const isBuffered = Buffer.isBuffer(body) && body.length <= limit;
  const isPeeked = observes && body instanceof Body;
  const read = isPeeked ? peekWhole : readWhole;
  const bytes = isBuffered ? body : await read(context.request, body as Body, limit);
  if (typeof bytes === "string") return rejectUnread(context, bytes, limit);
  if (!observes) context.body = bytes;
  return bytes;
}

/** The response to a request whose body cannot be read. */
export function rejectUnread(context: RequestContext, reason: Unread, limit: number): HttpResponse {
  if (reason !== "too-large") return reject(context, "buffers_full", { retryAfterSeconds: 1 });
  return reject(context, "body_too_large", {
    detail: `The body is larger than ${limit} bytes.`,
    decision: { reason: "body_too_large", limit },
  });
}
