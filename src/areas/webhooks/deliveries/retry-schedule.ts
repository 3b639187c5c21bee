const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long after each failed attempt the next one comes. After the last one fails, the delivery has failed. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** Undefined where no further attempt comes after this many. */
export function retryDelay(attempts: number): number | undefined {
  return delays[attempts - 1];
}

/** A webhook of which every attempt failed for this long is disabled. */
export const disabledAfterMilliseconds = 5 * 24 * hour;
