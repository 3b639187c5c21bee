export const hourMilliseconds = 3_600_000;
/** An hour is closed this long after its end, when what was received in it has been written. */
const closingMilliseconds = 120_000;

export function hourOf(time: number): number {
  return time - (time % hourMilliseconds);
}

/** The time at which an hour can be written. */
export function closedOn(hour: number): number {
  return hour + hourMilliseconds + closingMilliseconds;
}
