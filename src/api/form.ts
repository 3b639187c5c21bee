import type { ProblemCode } from "../core/problems/catalogue.ts";
import { Problem } from "../core/problems/problem.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { ProtocolError } from "../platform/http1/message/protocol-error.ts";
import { readWhole, type Unread } from "../platform/http1/message/read-whole.ts";

export const formType = "application/x-www-form-urlencoded";

const mebibyte = 1024 * 1024;

/** Forms come without a credential. */
const maxBytes = 32 * 1024;

/** Returns the fields of a form. Undefined if the body is not a form. */
export async function readForm(request: HttpRequest): Promise<URLSearchParams | undefined> {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== formType || !request.body) return undefined;
  return new URLSearchParams(Buffer.from(await readBytes(request, maxBytes)).toString());
}

/**
 * Returns the body as it was sent, synchronously if it has arrived. Throws 413 as early as possible if it is larger than the
 * limit, and the given problem if it is incomplete.
 */
export function readBytes(
  request: HttpRequest,
  limit: number,
  incomplete: ProblemCode = "malformed_request",
): Buffer | Promise<Buffer> {
  const bytes = readWhole(request, request.body ?? "", limit);
  const check = (read: Buffer | Unread) => (typeof read === "string" ? rejectUnread(read, limit) : read);
  if (!(bytes instanceof Promise)) return check(bytes);
  return bytes.then(check, (error: unknown) => {
    // The client disconnected, sent an invalid body, or was too slow.
    if (error instanceof ProtocolError && error.status === 408) throw new Problem("request_timeout");
    throw new Problem(incomplete, { detail: "The body is incomplete." });
  });
}

function rejectUnread(reason: Unread, limit: number): never {
  if (reason !== "too-large") throw new Problem("buffers_full", { retryAfterSeconds: 1 });
  const size = limit >= mebibyte ? `${limit / mebibyte} MiB` : `${limit / 1024} KiB`;
  throw new Problem("body_too_large", { detail: `The body is larger than ${size}.` });
}
