import type { Fetch } from "../../client/index.ts";

/** Which responses the server replayed: those have a header. */
export class Replays {
  readonly #keys = new Set<string>();

  /** For the client that sends them. */
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
