import type { Amount } from "../../lib/amount.ts";

export const hourMilliseconds = 3_600_000;
export const dayMilliseconds = 24 * hourMilliseconds;

/** How long usage by hour is stored. Usage by day is stored as long as its subscription. */
export const keptHoursMilliseconds = 90 * dayMilliseconds;

export function startOf(time: number, milliseconds: number): number {
  return Math.floor(time / milliseconds) * milliseconds;
}

/** Adds usage at a time to its hour. */
export function addHour(hours: Map<number, Amount>, time: number, amount: Amount): void {
  const hour = startOf(time, hourMilliseconds);
  hours.set(hour, (hours.get(hour) ?? 0n) + amount);
}
