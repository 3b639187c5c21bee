const lineFeed = 10;

/** Finds the end of consecutive chunked bodies, whose bytes arrive in arbitrary pieces. */
export class ChunkedBody {
  /** The received part of an incomplete line. */
  #line = "";
  /** The missing bytes of a chunk and its line end. */
  #bytesLeft = 0;
  #isInTrailer = false;

  /** True when this piece completes the body, after which nothing may follow. */
  take(piece: Buffer): boolean {
    let at = 0;
    while (at < piece.length) {
      if (this.#bytesLeft > 0) {
        const taken = Math.min(this.#bytesLeft, piece.length - at);
        this.#bytesLeft -= taken;
        at += taken;
        continue;
      }
      const end = piece.indexOf(lineFeed, at);
      this.#line += piece.toString("latin1", at, end < 0 ? piece.length : end);
      if (end < 0) return false;
      at = end + 1;
      if (this.#endLine()) {
        if (at < piece.length) throw new Error("more bytes came than the response announced");
        return true;
      }
    }
    return false;
  }

  /** True after the empty line that ends the body. */
  #endLine(): boolean {
    const line = this.#line.trimEnd();
    this.#line = "";
    if (this.#isInTrailer) {
      this.#isInTrailer = line !== "";
      return line === "";
    }
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new Error(`a chunk has no size: ${line}`);
    if (size === 0) this.#isInTrailer = true;
    else this.#bytesLeft = size + "\r\n".length;
    return false;
  }
}
