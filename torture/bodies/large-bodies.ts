import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { started, stopped } from "../../test/support/left-running.ts";

const chunk = Buffer.alloc(64 * 1024, "x");

/** An upstream that sends `?bytes=`, between `hold` and `release` all but the last ones. */
export class LargeBodies {
  /** Responses that have not ended. */
  responding = 0;
  /** Those of them that lack only their last bytes. */
  held = 0;
  #released = Promise.withResolvers<void>();
  readonly #server = createServer(async (request, response) => {
    const bytes = Number(new URL(request.url!, "http://upstream").searchParams.get("bytes"));
    this.responding += 1;
    const closed = once(response, "close").then(() => {
      this.responding -= 1;
    });
    response.writeHead(200, { "content-length": bytes });
    for (let sent = 0; sent < bytes; ) {
      if (response.destroyed) return;
      const isLast = sent + chunk.length >= bytes;
      if (isLast) {
        this.held += 1;
        await Promise.race([this.#released.promise, closed]);
        this.held -= 1;
      }
      const piece = chunk.subarray(0, bytes - sent);
      sent += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
    }
    response.end();
  }).listen(0, "127.0.0.1");

  constructor() {
    started(this, "An upstream with large bodies");
    this.release();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  hold(): void {
    this.#released = Promise.withResolvers();
  }

  release(): void {
    this.#released.resolve();
  }

  async stop(): Promise<void> {
    stopped(this);
    this.#released.resolve();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
