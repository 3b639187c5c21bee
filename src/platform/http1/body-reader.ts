import { Body, type Flow } from "./body.ts";
import { ChunkedDecoder } from "./chunked.ts";
import type { Framing } from "./head.ts";
import { Malformed } from "./malformed.ts";

/** Cuts the body of one message out of what a connection receives. */
export class BodyReader {
  readonly body: Body;
  isDone = false;
  #left: number;
  readonly #chunks: ChunkedDecoder | undefined;

  constructor(
    private readonly framing: Framing,
    flow: Flow,
  ) {
    this.body = new Body(typeof framing === "number" ? framing : undefined, flow);
    this.#left = typeof framing === "number" ? framing : Number.POSITIVE_INFINITY;
    this.#chunks = framing === "chunked" ? new ChunkedDecoder() : undefined;
    if (framing === 0) this.#done();
  }

  /** How many bytes are still to come, as far as that is known. */
  get left(): number {
    return this.#left;
  }

  /** Gives the body what belongs to it, and answers where the rest begins. Throws what is Malformed. */
  read(bytes: Buffer, from: number): number {
    if (this.#chunks) {
      const next = this.#chunks.decode(bytes, from, (piece) => this.body.push(piece));
      if (this.#chunks.isDone) this.#done();
      return next;
    }
    const end = Math.min(bytes.length, from + this.#left);
    if (end > from) this.body.push(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
    this.#left -= end - from;
    if (this.#left === 0) this.#done();
    return end;
  }

  /** The connection is over. One that broke is not the end of a body either. */
  closed(error?: Error): void {
    if (this.isDone) return;
    if (this.framing === "until close" && !error) this.#done();
    else this.fail(error ?? new Malformed("the body was cut short"));
  }

  fail(error: Error): void {
    this.isDone = true;
    this.body.fail(error);
  }

  #done(): void {
    this.isDone = true;
    this.body.end();
  }
}

const longestText = 32 * 1024;

/** A body that is here whole, is not long, and is ASCII, which is the same in every coding: it needs no reader. */
export function textBody(bytes: Buffer, from: number, framing: Framing): string | undefined {
  if (typeof framing !== "number" || framing > longestText || bytes.length < from + framing) return undefined;
  const body = bytes.toString("latin1", from, from + framing);
  return Buffer.byteLength(body) === framing ? body : undefined;
}
