import { type Body, keepPiece } from "../../../platform/http1/message/body.ts";

/** Hands a copy of a body that passes by to `done` at its end, unless it is larger than the limit or does not reach its end. */
export function collect(body: Body, limit: number, done: (bytes: Buffer) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  body.observe({
    piece(bytes) {
      size += bytes.length;
      if (size <= limit) keepPiece(pieces, bytes);
      else pieces = [];
    },
    end() {
      if (size <= limit) done(Buffer.concat(pieces));
    },
  });
}
