export const hourMilliseconds = 3_600_000;
/** The delay after the end of an hour until all rows received in it are stored. */
const closingMilliseconds = 120_000;

export function hourOf(time: number): number {
  return time - (time % hourMilliseconds);
}

/** The time at which an hour can be written. */
export function closedOn(hour: number): number {
  return hour + hourMilliseconds + closingMilliseconds;
}
