import { bufferPiece } from "../../../platform/http1/memory/buffer-memory.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";

/** Keeps a copy of a body that streams to the client, up to a limit, without delaying it. */
export class ObservedBody {
  #pieces: Buffer[] = [];
  #size = 0;
  #hasEnded = false;
  #isReleased = false;
  #problem: "response_too_large" | "buffers_full" | undefined;

  constructor(
    private readonly request: HttpRequest,
    { body, bodyLength }: HttpResponse,
    private readonly limit: number,
  ) {
    if ((bodyLength ?? 0) > limit) this.#problem = "response_too_large";
    else if (body instanceof Body)
      body.observe({
        piece: (bytes) => this.#keep(bytes),
        end: () => {
          this.#hasEnded = true;
        },
      });
    else {
      this.#keep(Buffer.from((body ?? "") as Uint8Array));
      this.#hasEnded = true;
    }
  }

  /**
   * Returns the whole body, the reason why it was not kept, or undefined if the body is incomplete. The caller must
   * call `release`.
   */
  take(): Buffer | "response_too_large" | "buffers_full" | undefined {
    if (this.#problem) return this.#problem;
    if (this.#hasEnded) return Buffer.concat(this.#pieces);
    this.release();
    return undefined;
  }

  release(): void {
    this.#isReleased = true;
    this.request.release(this.#size);
    this.#size = 0;
    this.#pieces = [];
  }

  #keep(bytes: Buffer): void {
    if (this.#problem || this.#isReleased) return;
    const isTooLarge = this.#size + bytes.length > this.limit;
    if (isTooLarge || !this.request.reserve(bytes.length)) {
      this.#problem = isTooLarge ? "response_too_large" : "buffers_full";
      this.release();
      return;
    }
    this.#size += bytes.length;
    bufferPiece(this.#pieces, bytes);
  }
}
