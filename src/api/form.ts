import { Problem } from "../core/problems/problem.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";

export const formType = "application/x-www-form-urlencoded";

/** Forms come without a credential. */
const maxBytes = 32 * 1024;

/** Returns the fields of a form. Undefined if the body is not a form. */
export async function readForm(request: HttpRequest): Promise<URLSearchParams | undefined> {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== formType || !request.body) return undefined;
  return new URLSearchParams(Buffer.from(await readBytes(request, maxBytes)).toString());
}

/** Returns the body as it was sent. Throws 413 if it is larger than the limit. */
export async function readBytes({ body }: HttpRequest, limit: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  const bytes = await body.bytes(limit).catch(() => {
    throw new Problem("malformed_request", { detail: "The body is incomplete." });
  });
  if (!bytes) throw tooLarge(limit);
  return bytes;
}

function tooLarge(limit: number): Problem {
  return new Problem("body_too_large", { detail: `The body is larger than ${limit / 1024} KiB.` });
}
