const endOfHeaders = Buffer.from("\r\n\r\n");
const nothing = Buffer.alloc(0);

/** Finds where one response ends: a response may come in many pieces, cut anywhere. */
export class ResponseReader {
  status = 0;
  #headers: Buffer = nothing;
  #bodyBytesLeft = -1;

  /** True when this piece completes the response. Only one request is in flight, so nothing may follow it. */
  take(piece: Buffer): boolean {
    if (this.#bodyBytesLeft >= 0) return this.#takeBody(piece.length);
    const bytes = this.#headers.length === 0 ? piece : Buffer.concat([this.#headers, piece]);
    const end = bytes.indexOf(endOfHeaders);
    if (end < 0) {
      // A copy, because Bun reuses the memory of a piece once its event is over.
      this.#headers = Buffer.from(bytes);
      return false;
    }
    this.#headers = nothing;
    this.#readHeaders(bytes.toString("latin1", 0, end));
    return this.#takeBody(bytes.length - end - endOfHeaders.length);
  }

  #readHeaders(text: string): void {
    this.status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined && this.status !== 204 && this.status !== 304) {
      throw new Error(`a response without Content-Length cannot be measured:\n${text}`);
    }
    this.#bodyBytesLeft = length === undefined || this.status === 304 ? 0 : Number(length);
  }

  #takeBody(byteCount: number): boolean {
    this.#bodyBytesLeft -= byteCount;
    if (this.#bodyBytesLeft > 0) return false;
    if (this.#bodyBytesLeft < 0) throw new Error("more bytes came than the response announced");
    this.#bodyBytesLeft = -1;
    return true;
  }
}
