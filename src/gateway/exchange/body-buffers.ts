import { Body } from "../../platform/http1/message/body.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";

/** The limit of all bodies that are buffered for code at the same time. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** A buffered body, which counts against the limit until it is released. */
export interface BufferedBody {
  bytes: Buffer;
  release(): void;
}

type Reason = "too-large" | "full" | "late" | "aborted";
type ReadResult = BufferedBody | Reason;

/** For the body of a response. */
interface ResponseRead {
  timeoutSeconds: number;
  /** The client's request. */
  request: HttpRequest;
}

/** Limits the memory of buffered bodies. */
export class BodyBuffers {
  #used = 0;

  /** Bytes also count against the limit of `shared`. */
  constructor(
    private readonly limit = defaultMaxBytes,
    private readonly shared?: BodyBuffers,
  ) {}

  get used(): number {
    return this.#used;
  }

  /** Counts bytes that are kept elsewhere. False if all buffers together would take too much. */
  reserve(bytes: number): boolean {
    return this.#take(bytes);
  }

  release(bytes: number): void {
    this.#used -= bytes;
    this.shared?.release(bytes);
  }

  /**
   * Buffers a body. Cancels it and resolves with `too-large` if it has more than `maxBytes`, with `full` if all buffers
   * together would exceed the limit; that of a response with `late` after `timeoutSeconds`, and with `aborted` if the
   * client disconnects. Rejects if the body fails.
   */
  async read(body: Body | Uint8Array | string, maxBytes: number, response?: ResponseRead): Promise<ReadResult> {
    if (!(body instanceof Body)) return this.#keep(Buffer.from(body as Uint8Array), maxBytes);
    const { length } = body;
    const reserved = length ?? 0;
    const rejected = reserved > maxBytes ? "too-large" : this.#take(reserved) ? undefined : "full";
    if (rejected) {
      body.cancel();
      return rejected;
    }
    return this.#readStream(body, reserved, maxBytes, response);
  }

  #keep(bytes: Buffer, maxBytes: number): ReadResult {
    if (bytes.length > maxBytes) return "too-large";
    return this.#take(bytes.length) ? this.#buffered(bytes, bytes.length) : "full";
  }

  #readStream(body: Body, reserved: number, maxBytes: number, response: ResponseRead | undefined): Promise<ReadResult> {
    let taken = reserved;
    let timer: Timer | undefined;
    const reading = new Promise<ReadResult>((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      const stop = (reason: Reason) => {
        this.release(taken);
        body.cancel();
        resolve(reason);
        return false;
      };
      if (response) {
        timer = setTimeout(() => stop("late"), response.timeoutSeconds * 1000);
        response.request.abortListener = { onAbort: () => stop("aborted") };
      }
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
          this.release(taken);
          reject(error);
        },
      });
    });
    if (!response) return reading;
    return reading.finally(() => {
      clearTimeout(timer);
      response.request.abortListener = undefined;
    });
  }

  #take(bytes: number): boolean {
    if (this.#used + bytes > this.limit || this.shared?.reserve(bytes) === false) return false;
    this.#used += bytes;
    return true;
  }

  #buffered(bytes: Buffer, taken: number): BufferedBody {
    let isReleased = false;
    return {
      bytes,
      release: () => {
        if (!isReleased) this.release(taken);
        isReleased = true;
      },
    };
  }
}
