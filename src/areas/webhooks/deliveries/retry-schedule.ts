const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays after each failed attempt. When the last attempt fails, the delivery has failed. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** The delay until the next attempt of a delivery. Undefined if there is none after this number. */
export function retryDelay(attempts: number): number | undefined {
  return delays[attempts - 1];
}

/** A webhook without a success for this long is disabled. */
export const disabledAfterMilliseconds = 5 * 24 * hour;
