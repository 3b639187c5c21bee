import { ProtocolError } from "./protocol-error.ts";

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Of a size line with its extensions, or of a trailer. */
const maxLineLength = 4 * 1024;
const maxTrailerBytes = 16 * 1024;

/**
 * A hexadecimal size and ignored extensions. Whitespace and empty extensions are rejected, as in Node's parser: lines that
 * servers parse differently allow request smuggling.
 */
const sizeLine =
  /^([0-9a-f]{1,12})(?:;[!#$%&'*+.^_`|~0-9a-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*$/i;

const trailerLine = /^[!#$%&'*+.^_`|~0-9a-z-]+:[\t\x20-\x7e\x80-\xff]*$/i;

/**
 * Matches a line whose end has not arrived, if it can still become a valid one. Trailers are only checked when they are
 * complete.
 */
const incompleteLine = {
  size: /^[0-9a-f]{1,12}(?:;.*)?\r?$/is,
  "end of data": /^\r?$/,
  trailer: /^/,
};

const invalidLine = {
  size: "the size line of a chunk is invalid",
  "end of data": "a chunk is longer than its size",
  trailer: "a trailer is not a valid header",
};

/** Decodes a chunked body incrementally. Trailers are dropped. */
export class ChunkedDecoder {
  isDone = false;
  #expects: "size" | "data" | "end of data" | "trailer" = "size";
  #left = 0;
  #line = "";
  #trailerBytes = 0;

  /** Returns the offset after the body in `bytes`, or their length. */
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
        const lineFeedAt = bytes.indexOf(lineFeed, at);
        const end = lineFeedAt === -1 ? bytes.length : lineFeedAt + 1;
        this.#line += bytes.toString("latin1", at, end);
        at = end;
        if (this.#line.length > maxLineLength) throw new ProtocolError("a line of a chunked body is too long");
        if (lineFeedAt !== -1) this.#parseLine();
        // Fails early: the sender of an invalid line may be waiting for a response.
        else if (!incompleteLine[this.#expects].test(this.#line)) throw new ProtocolError(invalidLine[this.#expects]);
      }
    }
    return at;
  }

  #parseLine(): void {
    const { length } = this.#line;
    if (this.#line.charCodeAt(length - 2) !== carriageReturn)
      throw new ProtocolError("a line of a chunked body does not end with CRLF");
    const line = this.#line.slice(0, length - 2);
    this.#line = "";
    switch (this.#expects) {
      case "size": {
        const size = sizeLine.exec(line);
        if (!size) throw new ProtocolError(invalidLine.size);
        this.#left = Number.parseInt(size[1]!, 16);
        this.#expects = this.#left === 0 ? "trailer" : "data";
        break;
      }
      case "end of data":
        if (line !== "") throw new ProtocolError(invalidLine["end of data"]);
        this.#expects = "size";
        break;
      default:
        this.#trailerBytes += length;
        if (this.#trailerBytes > maxTrailerBytes) throw new ProtocolError("the trailers are too large", 431);
        if (line === "") this.isDone = true;
        else if (!trailerLine.test(line)) throw new ProtocolError(invalidLine.trailer);
    }
  }
}

const lineEnd = Buffer.from("\r\n");
export const lastChunk = "0\r\n\r\n";

/** Returns size line, data and line end as one buffer: copying the data costs less than writing three buffers. */
export function chunkOf(piece: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, lineEnd]);
}
