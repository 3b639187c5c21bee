import type { ChartMark } from "./chart-types.ts";

/** The marks from one time to the next; the last step is as long as the one before it. */
export function marksBetween(marks: ChartMark[], times: number[], index: number): ChartMark[] {
  const from = times[index]!;
  const to = times[index + 1] ?? from + (from - (times[index - 1] ?? from - 60_000));
  return marks.filter(({ time }) => time >= from && time < to);
}
