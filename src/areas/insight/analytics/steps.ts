const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The steps in which requests are counted, with their retention. */
export const steps = {
  "1m": { milliseconds: minute, keptMilliseconds: 2 * day },
  "1h": { milliseconds: hour, keptMilliseconds: 90 * day },
  "1d": { milliseconds: day, keptMilliseconds: 731 * day },
} as const;

export type SeriesStep = keyof typeof steps;

export const seriesSteps = Object.keys(steps) as [SeriesStep, ...SeriesStep[]];

/** Rounds a time down to the start of its step. */
export function alignDown(time: number, milliseconds: number): number {
  return Math.floor(time / milliseconds) * milliseconds;
}

/** Returns the earliest time for which rows of a step are stored. */
export function keptSince(step: SeriesStep, now: number): number {
  return alignDown(now - steps[step].keptMilliseconds, steps[step].milliseconds);
}
