import type { ChartMark } from "./chart-types.ts";

/** The marks between a time and the next one; the last step is as long as the previous one. */
export function marksBetween(marks: ChartMark[], times: number[], index: number): ChartMark[] {
  const from = times[index]!;
  const to = times[index + 1] ?? from + (from - (times[index - 1] ?? from - 60_000));
  return marks.filter(({ time }) => time >= from && time < to);
}
