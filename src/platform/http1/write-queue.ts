import { outgoing } from "./outgoing.ts";

interface Queued {
  /** Writes what it has queued to its socket. */
  flush(): void;
}

/** Beyond either, what is queued is written at once: peers have something to do, and the memory stays in the processor's cache. */
const maxMessages = 64;
const maxBytes = 64 * 1024;

/**
 * Messages that wait in `outgoing` for the end of the event loop's turn, when immediates run: after the callbacks of all sockets
 * that were ready, and before the loop asks for more. Written one by one in between, each would wake its peer, which handles it
 * and sleeps again; written together, all but the first find it awake. docs/decisions/http.md has the measurements.
 */
class WriteQueue {
  readonly #outputs: Queued[] = [];
  #isScheduled = false;

  /** Keeps the message in `outgoing`. */
  add(output: Queued): void {
    outgoing.keep();
    this.#outputs.push(output);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#onTurnEnd);
    }
    if (this.#outputs.length >= maxMessages || outgoing.end > maxBytes) this.flush();
  }

  flush(): void {
    const outputs = this.#outputs;
    for (let index = 0; index < outputs.length; index++) outputs[index]!.flush();
    outputs.length = 0;
    outgoing.clear();
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false;
    this.flush();
  };
}

/** One for the process, as `outgoing` is. */
export const writeQueue = new WriteQueue();
