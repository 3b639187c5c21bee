export interface ChartSeries {
  label: string;
  /** One value for each time; null if there is none. */
  values: (number | null)[];
  /** The name of a colour token: `chart-1`. */
  color: string;
  kind?: "area" | "line" | "dashed" | "dotted" | "bars";
}

/** A thin vertical line: a deployment at its time. */
export interface ChartMark {
  time: number;
  label: string;
}

export interface ChartProps {
  /** A short title. */
  title: string;
  /** Milliseconds. */
  times: number[];
  series: ChartSeries[];
  height?: number;
  /** Stacks the series. */
  isStacked?: boolean;
  marks?: ChartMark[];
  /** The unit of the vertical axis, such as "requests an hour". */
  unit?: string;
  /** Formats a value with its unit, for the table and the tooltip. */
  format?: (value: number) => string;
  /** Formats a value at the axis; short numbers by default. */
  formatAxis?: (value: number) => string;
  /** Formats a time in the table and the tooltip; exact and in the browser's zone by default. */
  formatTime?: (time: number) => string;
  /** Whether the last step is still in progress: it is drawn hatched and labelled "so far". */
  isLastIncomplete?: boolean;
  /** Shown instead of the chart if all values are 0. */
  empty?: string;
}

/** After the time of a step that is still in progress. */
export const soFar = ", so far";

/** The marks between a time and the next one; the last step is as long as the previous one. */
export function marksBetween(marks: ChartMark[], times: number[], index: number): ChartMark[] {
  const from = times[index]!;
  const to = times[index + 1] ?? from + (from - (times[index - 1] ?? from - 60_000));
  return marks.filter(({ time }) => time >= from && time < to);
}
