/** The time in milliseconds since 1970, injected so that tests can set it. */
export interface Clock {
  now(): number;
}

/**
 * The time of another machine, which several share, as far as it is known; until then the own time. It differs from the
 * own time only as much as was observed, so a precise clock stays as it is.
 */
export class SharedClock implements Clock {
  /** What is added to the own time, in milliseconds. */
  offset = 0;

  constructor(private readonly own: Clock = systemClock) {}

  now(): number {
    return Math.round(this.own.now() + this.offset);
  }

  /** Called with the other time just after it was received, and for how long it had been requested. */
  observe(time: number, elapsedMilliseconds: number): void {
    const least = time - this.own.now();
    this.offset = Math.min(Math.max(this.offset, least), least + elapsedMilliseconds);
  }
}

export const systemClock: Clock = { now: () => Date.now() };
