import { createHash } from "node:crypto";
import type { ExportedRow } from "./columns.ts";

/** Counts the rows and bytes of an object while they are written. */
export class Tally {
  rows = 0;
  bytes = 0;
  readonly #hash = createHash("sha256");

  async *countRows(batches: AsyncIterable<ExportedRow[]>): AsyncGenerator<ExportedRow[]> {
    for await (const rows of batches) {
      this.rows += rows.length;
      yield rows;
    }
  }

  async *countBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      this.#hash.update(piece);
      yield piece;
    }
  }

  /** The hash of the bytes, when all of them were written. Read once. */
  get sha256(): string {
    return this.#hash.digest("hex");
  }
}
