import { bufferPiece } from "../memory/buffer-memory.ts";
import { Body } from "./body.ts";
import type { HttpRequest } from "./http-request.ts";

/** Why a body could not be read. */
export type Unread = "too-large" | "full" | "late" | "aborted";

interface ReadOptions {
  /** For the body of a response: it is `late` after this time, and `aborted` if the client disconnects. */
  responseSeconds?: number;
}

/**
 * Returns a whole body, at once if it has arrived. Its bytes count in the memory of the request from their arrival until
 * the request is done, or until `request.release`. Cancels the body and returns `too-large` if it has more than
 * `maxBytes`, and `full` if there is no memory. Rejects if the body fails.
 */
export function readWhole(
  request: HttpRequest,
  body: Body | Uint8Array | string,
  maxBytes: number,
  options: ReadOptions = {},
): Buffer | Unread | Promise<Buffer | Unread> {
  const bytes = body instanceof Body ? body.whole() : Buffer.from(body as Uint8Array);
  if (bytes) return bytes.length > maxBytes ? "too-large" : request.reserve(bytes.length) ? bytes : "full";
  return readStream(request, body as Body, maxBytes, options);
}

/** Like `readWhole` of a request's body, and leaves the body to be consumed. Rejects if it fails. */
export function peekWhole(request: HttpRequest, body: Body, maxBytes: number): Promise<Buffer | Unread> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] | undefined = [];
    let size = 0;
    const stop = (reason: Unread) => {
      pieces = undefined;
      resolve(reason);
    };
    if (body.length !== undefined && body.length > maxBytes) return stop("too-large");
    body.observeAhead(
      {
        piece(bytes) {
          if (!pieces) return;
          size += bytes.length;
          if (size > maxBytes) stop("too-large");
          else if (!request.reserve(bytes.length)) stop("full");
          else bufferPiece(pieces, bytes);
        },
        end() {
          if (pieces) resolve(Buffer.concat(pieces));
        },
      },
      maxBytes,
    );
    body.whenOver = () => (body.failure ? reject(body.failure) : resolve("aborted"));
  });
}

async function readStream(
  request: HttpRequest,
  body: Body,
  maxBytes: number,
  { responseSeconds }: ReadOptions,
): Promise<Buffer | Unread> {
  let reserved = 0;
  let isFull = false;
  const reserve = (size: number) => {
    isFull = !request.reserve(size);
    if (!isFull) reserved += size;
    return !isFull;
  };
  const stopped = Promise.withResolvers<Unread>();
  let timer: Timer | undefined;
  if (responseSeconds !== undefined) {
    timer = setTimeout(() => stopped.resolve("late"), responseSeconds * 1000);
    request.abortListener = { onAbort: () => stopped.resolve("aborted") };
  }
  let bytes: Buffer | Unread | undefined;
  try {
    if (body === request.body) body.isBuffered = true;
    const isTooLarge = body.length !== undefined && body.length > maxBytes;
    bytes = isTooLarge ? "too-large" : await Promise.race([body.bytes(maxBytes, reserve), stopped.promise]);
    if (Buffer.isBuffer(bytes)) return bytes;
    body.cancel();
    return bytes ?? (isFull ? "full" : "too-large");
  } finally {
    if (!Buffer.isBuffer(bytes)) request.release(reserved);
    if (responseSeconds !== undefined) {
      clearTimeout(timer);
      request.abortListener = undefined;
    }
  }
}
