import { Malformed } from "./malformed.ts";

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const longestSizeLine = 4 * 1024;
const mostTrailerBytes = 16 * 1024;

/**
 * A size in hexadecimal digits, and extensions that nobody uses. Blanks and empty extensions are rejected, as Node's parser
 * does: where one server reads a line that the next one rejects or skips, a request can be smuggled.
 */
const sizeLine =
  /^([0-9a-f]{1,12})(?:;[!#$%&'*+.^_`|~0-9a-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*$/i;

/** What a line that has not ended yet may look like. */
const beginnings = {
  size: /^[0-9a-f]{1,12}(?:;.*)?\r?$/is,
  "end of data": /^\r?$/,
  trailer: /^/,
};

/** Takes a chunked body apart, however its bytes are cut. Trailers are read and dropped. */
export class ChunkedDecoder {
  isDone = false;
  #expects: "size" | "data" | "end of data" | "trailer" = "size";
  #left = 0;
  #line = "";
  #trailerBytes = 0;

  /** Answers where the body ends in `bytes`, or their length. */
  decode(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number {
    let at = from;
    while (at < bytes.length && !this.isDone) {
      if (this.#expects === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        onPiece(bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#expects = "end of data";
      } else {
        const feed = bytes.indexOf(lineFeed, at);
        const end = feed === -1 ? bytes.length : feed + 1;
        this.#line += bytes.toString("latin1", at, end);
        at = end;
        if (this.#line.length > longestSizeLine) throw new Malformed("a line of a chunked body is too long");
        if (feed !== -1) this.#takeLine();
        // A sender that means something else waits for an answer; there is no line to wait for.
        else if (!beginnings[this.#expects].test(this.#line))
          throw new Malformed("a chunk does not begin with its size");
      }
    }
    return at;
  }

  #takeLine(): void {
    const { length } = this.#line;
    if (this.#line.charCodeAt(length - 2) !== carriageReturn)
      throw new Malformed("a line of a chunked body has no proper end");
    const line = this.#line.slice(0, length - 2);
    this.#line = "";
    switch (this.#expects) {
      case "size": {
        const size = sizeLine.exec(line);
        if (!size) throw new Malformed("the size of a chunk is not a number");
        this.#left = Number.parseInt(size[1]!, 16);
        this.#expects = this.#left === 0 ? "trailer" : "data";
        break;
      }
      case "end of data":
        if (line !== "") throw new Malformed("a chunk is longer than it says");
        this.#expects = "size";
        break;
      default:
        this.#trailerBytes += length;
        if (this.#trailerBytes > mostTrailerBytes) throw new Malformed("the trailers are too large", 431);
        if (line === "") this.isDone = true;
    }
  }
}

const lineEnd = Buffer.from("\r\n");
export const lastChunk = "0\r\n\r\n";

/** In one piece: a copy costs less than two more calls of the system. */
export function chunkOf(piece: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, lineEnd]);
}
