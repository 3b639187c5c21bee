import type { Clock } from "../../lib/time/clock.ts";

/** A clock that only changes when it is advanced. */
export class MovingClock implements Clock {
  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  moveTo(time: number): void {
    this.time = Math.max(this.time, time);
  }
}
