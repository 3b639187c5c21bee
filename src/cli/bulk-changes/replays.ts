import type { Fetch } from "../../client/index.ts";

/** The responses that the server replayed, recognized by a header. */
export class Replays {
  readonly #keys = new Set<string>();

  /** The fetch function for the client. */
  readonly fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const key = new Headers(init.headers).get("idempotency-key");
    if (key !== null && response.headers.get("idempotency-replayed") === "true") this.#keys.add(key);
    return response;
  };

  has(idempotencyKey: string): boolean {
    return this.#keys.has(idempotencyKey);
  }
}
