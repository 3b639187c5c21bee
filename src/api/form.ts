import { Problem } from "../core/problems/problem.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";

export const formType = "application/x-www-form-urlencoded";

/** Forms come without a credential. */
const maxBytes = 32 * 1024;

/** Returns the fields of a form. Undefined if the body is not a form. */
export async function readForm({ headers, body }: HttpRequest): Promise<URLSearchParams | undefined> {
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== formType || !body) return undefined;
  if (body.length !== undefined && body.length > maxBytes) throw tooLarge();
  const bytes = await body.bytes(maxBytes).catch(() => {
    throw new Problem("malformed_request", { detail: "The body is incomplete." });
  });
  if (!bytes) throw tooLarge();
  return new URLSearchParams(Buffer.from(bytes).toString());
}

function tooLarge(): Problem {
  return new Problem("body_too_large", { detail: `The body is larger than ${maxBytes / 1024} KiB.` });
}
