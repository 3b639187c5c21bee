import { now } from "../../lib/clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export interface Range {
  label: string;
  /** The interval of a point in its charts. */
  step: "1m" | "1h" | "1d";
  /** The interval in words, such as "an hour", for the unit of an axis. */
  each: string;
  milliseconds: number;
  /** A coarser interval for charts with many series. */
  coarseStep: "1m" | "1h" | "1d";
  refetchMs: number;
}

export const ranges: Record<string, Range> = {
  hour: { label: "hour", step: "1m", each: "a minute", milliseconds: hour, coarseStep: "1m", refetchMs: 10_000 },
  day: { label: "24 hours", step: "1h", each: "an hour", milliseconds: day, coarseStep: "1h", refetchMs: 30_000 },
  week: { label: "7 days", step: "1h", each: "an hour", milliseconds: 7 * day, coarseStep: "1d", refetchMs: 60_000 },
  month: { label: "30 days", step: "1d", each: "a day", milliseconds: 30 * day, coarseStep: "1d", refetchMs: 60_000 },
};

export const usualRange = "day";

const stepMilliseconds = { "1m": minute, "1h": hour, "1d": day };

/**
 * Begins at a multiple of the coarse step, so that all charts and lists of a page count the same requests; the previous
 * range has the same length.
 */
export function timesOf({ milliseconds, coarseStep }: Range): { from: string; before: string } {
  const step = stepMilliseconds[coarseStep];
  const from = Math.floor((now() - milliseconds) / step) * step + step;
  return { from: new Date(from).toISOString(), before: new Date(from - milliseconds).toISOString() };
}
