import type { ExportKind } from "./schema.ts";

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

/** How long rows of a kind are kept. Invoices are kept without end. */
export type KeptDays = Readonly<Record<Exclude<ExportKind, "invoices">, number>>;

const dayMilliseconds = 24 * hourMilliseconds;
/** An hour takes a while to write, and its rows may not be removed meanwhile. */
const marginMilliseconds = 2 * hourMilliseconds;

/** The first hour of which all rows are still there. An earlier one must not be written again: its object would lose rows. */
export function keptSince(kinds: ExportKind[], days: KeptDays, now: number): number {
  const ends = kinds.flatMap((kind) => (kind === "invoices" ? [] : now - days[kind] * dayMilliseconds));
  return ends.length === 0 ? 0 : hourOf(Math.max(...ends) + marginMilliseconds + hourMilliseconds - 1);
}
