import { invalid } from "../../../core/problems/problem.ts";
import { latestTime } from "../../../lib/time/time.ts";
import { alignDown, keptSince, type SeriesStep, seriesSteps, steps } from "./steps.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** The maximum number of points in a range by default. */
const finestByDefault: [SeriesStep, number][] = [
  ["1m", 6 * hour],
  ["1h", 14 * day],
];

/** The maximum number of points in one series. */
const maxPoints = 3_000;

interface RangeInput {
  from?: number | undefined;
  to?: number | undefined;
  step?: SeriesStep | undefined;
}

export interface TimeSteps {
  from: number;
  /** The end of the analytics range, exclusive. */
  to: number;
  step: SeriesStep;
  /** The start of each step. */
  times: number[];
}

/**
 * Returns the steps of a range: from the step that contains its start to the step that contains its end, which may be
 * incomplete. Throws if the range is reversed, or if rows of its step are not stored for that long.
 */
export function timeSteps({ from: givenFrom, to: givenTo, step: givenStep }: RangeInput, now: number): TimeSteps {
  const end = givenTo ?? now + 1;
  const start = givenFrom ?? end - day;
  if (start >= end) throw invalid(givenFrom === undefined ? "?to" : "?from", "must be before to");
  const step = givenStep ?? defaultStep(start, end, now);
  const { milliseconds, keptMilliseconds } = steps[step];
  if (alignDown(start, milliseconds) < keptSince(step, now))
    throw invalid(
      givenStep === undefined || step === "1d" ? "?from" : "?step",
      `${step} is kept for ${keptMilliseconds / day} days; from is older than that`,
    );
  const from = alignDown(start, milliseconds);
  const to = alignDown(end - 1, milliseconds) + milliseconds;
  if (to > latestTime) throw invalid("?to", "must be at least a step before the year 10000");
  const points = (to - from) / milliseconds;
  if (points > maxPoints)
    throw invalid("?step", `would return ${points} points for this range; at most ${maxPoints}: choose a coarser step`);
  return { from, to, step, times: Array.from({ length: points }, (_, index) => from + index * milliseconds) };
}

/** The maximum number of points in all series together. */
const maxPointsInAll = 50_000;

/** Returns the steps of a range. Throws if its series would have too many points. */
export function analyticsRangeOf(
  query: RangeInput & { by?: string | undefined; limit: number },
  now: number,
): TimeSteps {
  const { by, limit } = query;
  const range = timeSteps(query, now);
  const points = range.times.length * (by === undefined ? 1 : limit + 1);
  if (points > maxPointsInAll)
    throw invalid(
      "?limit",
      `would return ${points} points; at most ${maxPointsInAll}: lower it, or choose a coarser step`,
    );
  return range;
}

/** Returns the finest step that fits the range and is stored for that long. */
function defaultStep(from: number, to: number, now: number): SeriesStep {
  const isKept = (step: SeriesStep) => alignDown(from, steps[step].milliseconds) >= keptSince(step, now);
  const fitting = finestByDefault.find(([step, longest]) => to - from <= longest && isKept(step));
  return fitting?.[0] ?? seriesSteps.at(-1)!;
}
