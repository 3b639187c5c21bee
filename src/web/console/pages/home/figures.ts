import type { Analytics } from "../../../../client/index.ts";
import { formatPercent } from "../../../lib/format.ts";

export type Series = Analytics["series"][number];

export const errorShare = ({ requests, errors }: { requests: number; errors: number }): number =>
  requests > 0 ? errors / requests : 0;

/** The change from the previous period, in words; empty if there is nothing to compare. */
export function changeText(present: number, before: number): string {
  if (before === 0) return present === 0 ? "" : "none in the previous period";
  const change = present / before - 1;
  if (Math.abs(change) < 0.0005) return "same as in the previous period";
  return `${change > 0 ? "+" : "−"}${formatPercent(Math.abs(change))} vs the previous period`;
}

/** The named series, without the rest and without requests that have no consumer. */
export const named = (series: Series[]): Series[] =>
  series.filter(({ key, isOther, totals }) => key !== null && !isOther && totals.requests > 0);
