import type { Hold } from "./hold.ts";

/** A running worker reconnects within this time. */
const lossMilliseconds = 10_000;

interface Lost {
  worker: string;
  holds: Hold[];
  countsOn: number;
}

/**
 * The estimated usage of holds whose worker is disconnected. A worker that connects again has its holds itself, and that
 * of a killed one counts.
 */
export class LostHolds {
  #lost: Lost[] = [];

  /** Reduces the holds to their estimates. Those without one are released. */
  add(worker: string, all: Iterable<Hold>, now: number): void {
    const holds = [...all].flatMap((hold) => hold.reduceToEstimate() ?? []);
    if (holds.length > 0) this.#lost.push({ worker, holds, countsOn: now + lossMilliseconds });
  }

  /** Called when the worker has reconnected: it settles the holds itself. */
  returned(worker: string): void {
    for (const lost of this.#lost) if (lost.worker === worker) for (const hold of lost.holds) hold.release();
    this.#lost = this.#lost.filter((lost) => lost.worker !== worker);
  }

  /** Counts the usage of workers that have not returned. */
  count(now: number): void {
    if (this.#lost.length === 0) return;
    const due = this.#lost.filter(({ countsOn }) => countsOn <= now);
    this.#lost = this.#lost.filter(({ countsOn }) => countsOn > now);
    for (const { holds } of due) for (const hold of holds) hold.settle();
  }
}
