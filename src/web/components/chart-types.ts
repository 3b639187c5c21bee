export interface ChartSeries {
  label: string;
  /** One for each time; null where there is none. */
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
  /** What it shows, in a few words. */
  title: string;
  /** Milliseconds. */
  times: number[];
  series: ChartSeries[];
  height?: number;
  /** Draws each series on top of those before it. */
  isStacked?: boolean;
  marks?: ChartMark[];
  /** What the vertical axis counts: "requests an hour". */
  unit?: string;
  /** A value with its unit, for the table and under the pointer. */
  format?: (value: number) => string;
  /** A value at the axis; short numbers by default. */
  formatAxis?: (value: number) => string;
  /** A time in the table and under the pointer; the exact one in the browser's zone by default. */
  formatTime?: (time: number) => string;
  /** In place of the chart where no series has a value other than 0. */
  empty?: string;
}
