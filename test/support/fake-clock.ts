import type { Clock } from "../../src/lib/time/clock.ts";

/** A clock that only changes when a test moves it. */
export class FakeClock implements Clock {
  #now: number;

  constructor(start = "2026-01-15T10:00:00.000Z") {
    this.#now = milliseconds(start);
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  set(time: string): void {
    this.#now = milliseconds(time);
  }

  /** The time in the API's format, `offsetMs` from now. */
  iso(offsetMs = 0): string {
    return new Date(this.#now + offsetMs).toISOString();
  }
}

function milliseconds(time: string): number {
  const parsed = Date.parse(time);
  if (Number.isNaN(parsed)) throw new Error(`Not a date-time: ${time}`);
  return parsed;
}
