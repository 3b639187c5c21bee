import type { Clock } from "../../lib/time/clock.ts";

/** A clock that only changes when it is advanced. */
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
