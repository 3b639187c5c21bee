import { outgoing } from "./outgoing.ts";

interface Queued {
  readonly peer: "client" | "server";
  /** Writes its queued messages to its socket. */
  flush(): void;
}

/**
 * Beyond either limit queued messages are written immediately: peers can start working, and the memory stays in the
 * processor's cache.
 */
const maxMessages = 64;
const maxBytes = 64 * 1024;

/**
 * Messages that wait in `outgoing` for the end of the event loop's turn, when immediates run: after the callbacks of
 * all readable sockets, and before the loop polls again. Written one by one, each message would wake its peer, which
 * handles it and sleeps again; written together, all but the first find the peer awake. Servers are written first
 * because their work takes longest. The measurements are in docs/decisions/http.md.
 */
class WriteQueue {
  readonly #toServers: Queued[] = [];
  readonly #toClients: Queued[] = [];
  #isScheduled = false;
  #isFlushing = false;

  /** Keeps the message in `outgoing`. */
  add(output: Queued): void {
    outgoing.keep();
    if (output.peer === "server") this.#toServers.push(output);
    else this.#toClients.push(output);
    this.#schedule();
    if (this.#isFlushing) return;
    if (this.#length >= maxMessages || outgoing.end > maxBytes) this.#flush();
  }

  get #length(): number {
    return this.#toServers.length + this.#toClients.length;
  }

  /**
   * The memory is cleared last, because callbacks of a failed write may send more. If one throws, the others are still
   * written.
   */
  #flush(): void {
    this.#isFlushing = true;
    try {
      while (this.#length > 0) {
        flushAll(this.#toServers);
        flushAll(this.#toClients);
      }
      outgoing.clear();
    } finally {
      this.#isFlushing = false;
      if (this.#length > 0) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTurnEnd);
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false;
    this.#flush();
  };
}

function flushAll(outputs: Queued[]): void {
  for (let index = 0; index < outputs.length; index++) outputs[index]!.flush();
  outputs.length = 0;
}

/** One per process, like `outgoing`. */
export const writeQueue = new WriteQueue();
