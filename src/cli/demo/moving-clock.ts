import type { Clock } from "../../lib/time/clock.ts";

/** A clock that stands still until it is moved, and never moves back. */
export class MovingClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }
}
