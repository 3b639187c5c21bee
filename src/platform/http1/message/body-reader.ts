import { Body, type Flow } from "./body.ts";
import { ChunkedDecoder } from "./chunked.ts";
import type { Framing } from "./head.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Extracts the body of one message from the bytes of a connection. */
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

  /** Bytes still to come; infinite if unknown. */
  get left(): number {
    return this.#left;
  }

  /** Passes bytes to the body and returns the offset of the rest. Throws a ProtocolError. */
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

  /** The connection closed. If it closed with an error, the body fails. */
  closed(error?: Error): void {
    if (this.isDone) return;
    if (this.framing === "until close" && !error) this.#done();
    else this.fail(error ?? new ProtocolError("the body is incomplete"));
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

const maxTextBytes = 32 * 1024;

/** Returns the body as text if it is complete, short and ASCII, which needs no decoding (fast path). */
export function textBody(bytes: Buffer, from: number, framing: Framing): string | undefined {
  if (typeof framing !== "number" || framing > maxTextBytes || bytes.length < from + framing) return undefined;
  const body = bytes.toString("latin1", from, from + framing);
  return Buffer.byteLength(body) === framing ? body : undefined;
}
