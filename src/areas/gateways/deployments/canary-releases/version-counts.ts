import { LatencyHistogram } from "../../../../lib/latency-histogram.ts";
import { secondOf, type WindowCounts, windowMilliseconds } from "./abort-rule.ts";

const keptSeconds = windowMilliseconds / 1000;

/** The requests of one version since the last `take`. */
export interface TakenCounts extends WindowCounts {
  latency: LatencyHistogram;
  /** By the beginning of the second in which they ended; at most those of one window. */
  seconds: Map<number, WindowCounts>;
}

/** Counts the requests of one version of a canary release in memory. */
export class VersionCounts {
  #taken = empty();
  #second = -1;
  #current: WindowCounts = { requests: 0, errors: 0 };

  get isEmpty(): boolean {
    return this.#taken.requests === 0;
  }

  add(isError: boolean, milliseconds: number, now: number): void {
    const second = secondOf(now);
    if (second !== this.#second) this.#open(second);
    const counts = this.#taken;
    const errors = isError ? 1 : 0;
    counts.requests += 1;
    counts.errors += errors;
    counts.latency.add(milliseconds);
    this.#current.requests += 1;
    this.#current.errors += errors;
  }

  /** Returns all counts so far, and starts again at zero. */
  take(): TakenCounts {
    const taken = this.#taken;
    this.#taken = empty();
    this.#second = -1;
    return taken;
  }

  /** While storage is unavailable, seconds that have left the window are dropped. */
  #open(second: number): void {
    const { seconds } = this.#taken;
    this.#second = second;
    this.#current = seconds.get(second) ?? { requests: 0, errors: 0 };
    seconds.set(second, this.#current);
    if (seconds.size > keptSeconds) seconds.delete(Math.min(...seconds.keys()));
  }
}

function empty(): TakenCounts {
  return { requests: 0, errors: 0, latency: new LatencyHistogram(), seconds: new Map() };
}
