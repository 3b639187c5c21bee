import { Body } from "../platform/http1/message/body.ts";

/** The limit of all bodies that are buffered for code at the same time. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** A buffered body, which counts against the limit until it is released. */
export interface BufferedBody {
  bytes: Buffer;
  release(): void;
}

type ReadResult = BufferedBody | "too-large" | "full" | "late";

/** Limits the memory of buffered bodies. */
export class BodyBuffers {
  #used = 0;

  constructor(private readonly limit = defaultMaxBytes) {}

  get used(): number {
    return this.#used;
  }

  /** Counts bytes that are kept elsewhere. False if all buffers together would take too much. */
  reserve(bytes: number): boolean {
    return this.#take(bytes);
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }

  /**
   * Buffers a body. Cancels it and resolves with `too-large` if it has more than `maxBytes`, with `full` if all buffers
   * together would exceed the limit, with `late` after `timeoutSeconds`. Rejects if the body fails.
   */
  async read(body: Body | Uint8Array | string, maxBytes: number, timeoutSeconds?: number): Promise<ReadResult> {
    if (!(body instanceof Body)) return this.#keep(Buffer.from(body as Uint8Array), maxBytes);
    const { length } = body;
    const reserved = length ?? 0;
    const rejected = reserved > maxBytes ? "too-large" : this.#take(reserved) ? undefined : "full";
    if (rejected) {
      body.cancel();
      return rejected;
    }
    return this.#readStream(body, reserved, maxBytes, timeoutSeconds);
  }

  #keep(bytes: Buffer, maxBytes: number): ReadResult {
    if (bytes.length > maxBytes) return "too-large";
    return this.#take(bytes.length) ? this.#buffered(bytes, bytes.length) : "full";
  }

  #readStream(body: Body, reserved: number, maxBytes: number, timeoutSeconds: number | undefined): Promise<ReadResult> {
    let taken = reserved;
    let timer: Timer | undefined;
    const reading = new Promise<ReadResult>((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      const stop = (reason: "too-large" | "full" | "late") => {
        this.#used -= taken;
        body.cancel();
        resolve(reason);
        return false;
      };
      if (timeoutSeconds !== undefined) timer = setTimeout(() => stop("late"), timeoutSeconds * 1000);
      body.consume({
        write: (piece) => {
          size += piece.length;
          if (size > maxBytes) return stop("too-large");
          if (size > taken) {
            if (!this.#take(size - taken)) return stop("full");
            taken = size;
          }
          pieces.push(piece);
          return true;
        },
        end: () => resolve(this.#buffered(Buffer.concat(pieces), taken)),
        fail: (error) => {
          this.#used -= taken;
          reject(error);
        },
      });
    });
    return timer === undefined ? reading : reading.finally(() => clearTimeout(timer));
  }

  #take(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  #buffered(bytes: Buffer, taken: number): BufferedBody {
    let isReleased = false;
    return {
      bytes,
      release: () => {
        if (!isReleased) this.#used -= taken;
        isReleased = true;
      },
    };
  }
}
