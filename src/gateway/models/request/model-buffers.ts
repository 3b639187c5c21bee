import { BodyBuffers, type BufferedBody } from "../../exchange/body-buffers.ts";
import type { RequestContext } from "../../exchange/policy.ts";

/** The maximum size of a request to a model. */
export const maxRequestBytes = 32 * 1024 * 1024;

/** What a request of the maximum size may take in addition, when it is read. */
const maxReadBytes = 26 * 1024 * 1024;

/** A body in memory. */
export interface ModelBody extends BufferedBody {
  /** Counts bytes in addition, until the body is released. False if there is no room. */
  reserve(bytes: number): boolean;
}

/** All requests of a machine together. */
const maxMachineBytes = 256 * 1024 * 1024;

/** The memory of the bodies of requests to models: a consumer gets a quarter of it. */
export class ModelBuffers {
  readonly #all: BodyBuffers;
  readonly #ofConsumer = new Map<string, BodyBuffers>();
  readonly #perConsumer: number;

  /** `processes` are those of the machine that serve requests. */
  constructor(processes = 1, maxBytes = maxMachineBytes) {
    // A request of the maximum size must fit.
    const own = Math.max(maxRequestBytes + maxReadBytes, Math.floor(maxBytes / processes));
    this.#all = new BodyBuffers(own);
    this.#perConsumer = Math.max(maxRequestBytes + maxReadBytes, Math.floor(own / 4));
  }

  get used(): number {
    return this.#all.used;
  }

  /** Reads the body of a request; synchronously if it has arrived. */
  read(context: RequestContext, consumer: string): Promise<ModelBody | string> | ModelBody | "too-large" | "full" {
    const buffers = this.#ofConsumer.get(consumer) ?? new BodyBuffers(this.#perConsumer, this.#all);
    const body = context.body ?? context.request.body;
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.isBuffer(body) ? body : body.whole();
    if (!bytes) {
      this.#ofConsumer.set(consumer, buffers);
      const reading = buffers.read(body!, maxRequestBytes);
      return reading.then(
        (result) => {
          if (typeof result === "string") this.#forget(consumer, buffers);
          return typeof result === "string" ? result : this.#released(result, consumer, buffers);
        },
        (error: unknown) => {
          this.#forget(consumer, buffers);
          throw error;
        },
      );
    }
    if (bytes.length > maxRequestBytes) return "too-large";
    if (!buffers.reserve(bytes.length)) return "full";
    this.#ofConsumer.set(consumer, buffers);
    return this.#released({ bytes, release: () => buffers.release(bytes.length) }, consumer, buffers);
  }

  #released({ bytes, release }: BufferedBody, consumer: string, buffers: BodyBuffers): ModelBody {
    let isReleased = false;
    let more = 0;
    return {
      bytes,
      reserve: (added) => {
        if (!buffers.reserve(added)) return false;
        more += added;
        return true;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        release();
        buffers.release(more);
        this.#forget(consumer, buffers);
      },
    };
  }

  #forget(consumer: string, buffers: BodyBuffers): void {
    if (buffers.used === 0 && this.#ofConsumer.get(consumer) === buffers) this.#ofConsumer.delete(consumer);
  }
}
