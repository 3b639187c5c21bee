import { ChunkedBody } from "./chunked-body.ts";

const endOfHeaders = Buffer.from("\r\n\r\n");
const nothing = Buffer.alloc(0);

/** Finds where one response ends: a response may come in many pieces, cut anywhere. */
export class ResponseReader {
  status = 0;
  #headers: Buffer = nothing;
  #isInBody = false;
  #isChunked = false;
  #bodyBytesLeft = 0;
  readonly #chunkedBody = new ChunkedBody();

  /** True when this piece completes the response. Only one request is in flight, so nothing may follow it. */
  take(piece: Buffer): boolean {
    if (this.#isInBody) return this.#takeBody(piece);
    const bytes = this.#headers.length === 0 ? piece : Buffer.concat([this.#headers, piece]);
    const end = bytes.indexOf(endOfHeaders);
    if (end < 0) {
      // A copy, because Bun reuses the memory of a piece once its event is over.
      this.#headers = Buffer.from(bytes);
      return false;
    }
    this.#headers = nothing;
    this.#readHeaders(bytes.toString("latin1", 0, end));
    return this.#takeBody(bytes.subarray(end + endOfHeaders.length));
  }

  #readHeaders(text: string): void {
    this.status = Number(text.slice(9, 12));
    const isEmpty = this.status === 204 || this.status === 304;
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    this.#isChunked = !isEmpty && length === undefined && /\r\ntransfer-encoding: *chunked/i.test(text);
    if (!isEmpty && length === undefined && !this.#isChunked) {
      throw new Error(`a response without a length cannot be measured:\n${text}`);
    }
    this.#bodyBytesLeft = isEmpty ? 0 : Number(length ?? 0);
  }

  #takeBody(bytes: Buffer): boolean {
    const isComplete = this.#isChunked ? this.#chunkedBody.take(bytes) : this.#countBody(bytes.length);
    this.#isInBody = !isComplete;
    return isComplete;
  }

  #countBody(byteCount: number): boolean {
    this.#bodyBytesLeft -= byteCount;
    if (this.#bodyBytesLeft < 0) throw new Error("more bytes came than the response announced");
    return this.#bodyBytesLeft === 0;
  }
}
