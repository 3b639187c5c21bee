import { invalid } from "../../core/problems/problem.ts";
import { latestTime } from "../../lib/time/time.ts";
import { alignDown, keptSince, type SeriesStep, seriesSteps, steps } from "./steps.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** By default a range has at most so many points. */
const finestByDefault: [SeriesStep, number][] = [
  ["1m", 6 * hour],
  ["1h", 14 * day],
];

/** Of one series. */
const mostPoints = 3_000;

export interface RangeInput {
  from?: number | undefined;
  to?: number | undefined;
  step?: SeriesStep | undefined;
}

export interface TimeSteps {
  from: number;
  /** Not included. */
  to: number;
  step: SeriesStep;
  /** The start of each. */
  times: number[];
}

/**
 * The steps that a range covers: from the one that contains its start to the one that contains its end, which may be under way.
 * Throws where the range is the wrong way round, or where its step is not kept for so long.
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
  if (points > mostPoints)
    throw invalid("?step", `would make ${points} points of this range; at most ${mostPoints}: choose a coarser one`);
  return { from, to, step, times: Array.from({ length: points }, (_, index) => from + index * milliseconds) };
}

/** The finest that fits the range and is kept for so long. */
function defaultStep(from: number, to: number, now: number): SeriesStep {
  const isKept = (step: SeriesStep) => alignDown(from, steps[step].milliseconds) >= keptSince(step, now);
  const fitting = finestByDefault.find(([step, longest]) => to - from <= longest && isKept(step));
  return fitting?.[0] ?? seriesSteps.at(-1)!;
}
