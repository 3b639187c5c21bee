/** From `start` (inclusive) to `end` (exclusive). */
export interface Period {
  start: number;
  end: number;
}

export type Renewal = "monthly" | "yearly";

/**
 * Returns the n-th boundary of periods that begin on the anchor's day and time of day, in UTC; n may be negative. If a
 * month lacks that day, the boundary is on its last day. It is always counted from the anchor, never from the previous
 * boundary, so a shorter month does not shift later ones: 31 January, 28 February, 31 March.
 */
export function boundaryAt(anchor: number, renewal: Renewal, n: number): number {
  const date = new Date(anchor);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + n * (renewal === "monthly" ? 1 : 12);
  const year = Math.floor(month / 12);
  const monthOfYear = month - year * 12;
  const day = Math.min(date.getUTCDate(), daysIn(year, monthOfYear));
  const turned = new Date(anchor);
  turned.setUTCFullYear(year, monthOfYear, day);
  return turned.getTime();
}

/** Returns the period that contains a moment, which may be before or after the anchor. */
export function periodAt(anchor: number, renewal: Renewal, at: number): Period {
  const from = new Date(anchor);
  const to = new Date(at);
  const years = to.getUTCFullYear() - from.getUTCFullYear();
  // The estimate is correct or one too high: the moment may precede the boundary within its month or year.
  let n = renewal === "yearly" ? years : years * 12 + to.getUTCMonth() - from.getUTCMonth();
  if (boundaryAt(anchor, renewal, n) > at) n -= 1;
  return { start: boundaryAt(anchor, renewal, n), end: boundaryAt(anchor, renewal, n + 1) };
}

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  // `Date.UTC` is not used because it interprets the years 0 to 99 as 1900 to 1999.
  last.setUTCFullYear(year, month + 1, 0);
  return last.getUTCDate();
}
