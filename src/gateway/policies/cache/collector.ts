import { type Body, bufferPiece } from "../../../platform/http1/message/body.ts";

/** Passes a copy of a streamed body to `done` at its end, unless it is incomplete or larger than the limit. */
export function collect(body: Body, limit: number, done: (bytes: Buffer) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  body.observe({
    piece(bytes) {
      size += bytes.length;
      if (size <= limit) bufferPiece(pieces, bytes);
      else pieces = [];
    },
    end() {
      if (size <= limit) done(Buffer.concat(pieces));
    },
  });
}
