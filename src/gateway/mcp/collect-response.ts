import { maxResultBytes } from "../../core/mcp/tools/tool-result.ts";
import { Body } from "../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { BodyBuffers } from "../exchange/body-buffers.ts";

interface CollectedBody {
  bytes: Buffer;
  /** Whether `bytes` is only the beginning. */
  isTooLarge: boolean;
  /** Why the body has not ended. */
  failure?: "late" | "failed" | "full";
  release(): void;
}

/** Reads the body of a response until its end, its limit or the deadline. */
export async function collectBody(
  body: HttpResponse["body"],
  buffers: BodyBuffers,
  deadline: Promise<void>,
): Promise<CollectedBody> {
  if (!(body instanceof Body)) {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body ?? []);
    return { bytes: bytes.subarray(0, maxResultBytes), isTooLarge: bytes.length > maxResultBytes, release: () => {} };
  }
  const pieces: Buffer[] = [];
  let size = 0;
  let failure: CollectedBody["failure"] = "late";
  let isTooLarge = false;
  const over = Promise.withResolvers<void>();
  body.consume({
    write: (piece) => {
      if (!buffers.reserve(piece.length)) {
        failure = "full";
        over.resolve();
        return false;
      }
      pieces.push(piece);
      size += piece.length;
      isTooLarge = size > maxResultBytes;
      if (isTooLarge) over.resolve();
      return !isTooLarge;
    },
    end: () => {
      failure = undefined;
      over.resolve();
    },
    fail: () => {
      failure = "failed";
      over.resolve();
    },
  });
  await Promise.race([over.promise, deadline]);
  const isComplete = failure === undefined;
  if (!isComplete) body.cancel();
  const release = () => buffers.release(size);
  const bytes = Buffer.concat(pieces).subarray(0, maxResultBytes);
  return { bytes, isTooLarge, release, ...(failure !== undefined && !isTooLarge && { failure }) };
}
