/** Where the product reads the time of day, so that tests can set it. Milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
