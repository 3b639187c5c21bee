import type { RequestContext } from "./policy.ts";

/**
 * Buffers the body, which a policy may have replaced, and stores it in the context. Undefined if it is larger than the
 * limit.
 */
export async function readRequestBody(context: RequestContext, limit: number): Promise<Buffer | undefined> {
  const body = context.body ?? context.request.body;
  if (body === undefined) return Buffer.alloc(0);
  const bytes = Buffer.isBuffer(body) ? body : (body.whole() ?? (await body.bytes(limit)));
  if (!bytes || bytes.length > limit) return undefined;
  context.body = bytes;
  return bytes;
}
