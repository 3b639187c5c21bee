import type { Analytics } from "../../../../client/index.ts";
import { formatPercent, plural } from "../../../lib/format.ts";

export type Series = Analytics["series"][number];

export const errorShare = ({ requests, errors }: { requests: number; errors: number }): number =>
  requests > 0 ? errors / requests : 0;

/** The change from the previous period. */
export interface Change {
  /** Empty if there is nothing to compare. */
  text: string;
  /** Undefined if it is neither good nor bad. */
  tone?: "good" | "bad";
}

interface ChangeOptions {
  /** Whether more is better. */
  isMoreGood: boolean;
  /** The values are shares: their difference is in percentage points, not in percent of a percentage. */
  isShare?: boolean;
}

export function changeOf(present: number, before: number, { isMoreGood, isShare }: ChangeOptions): Change {
  const toneOf = (isMore: boolean) => (isMore === isMoreGood ? "good" : "bad");
  const sign = (value: number) => (value > 0 ? "+" : "−");
  if (isShare) {
    const points = Math.round((present - before) * 10_000) / 100;
    if (points === 0) return { text: "same as before" };
    const shown = `${sign(points)}${plural(Math.abs(points), "point")}`;
    return { text: `${shown} vs before`, tone: toneOf(points > 0) };
  }
  if (before === 0) return { text: present === 0 ? "" : "none before" };
  const change = present / before - 1;
  if (Math.abs(change) < 0.0005) return { text: "same as before" };
  return {
    text: `${sign(change)}${formatPercent(Math.abs(change))} vs before`,
    tone: toneOf(change > 0),
  };
}

/** The named series, without the rest and without requests that have no consumer. */
export const named = <Counted extends Pick<Series, "key" | "isOther"> & { totals: { requests: number } }>(
  series: Counted[],
): Counted[] => series.filter(({ key, isOther, totals }) => key !== null && !isOther && totals.requests > 0);
