export interface ChartSeries {
  label: string;
  /** One for each time; null where there is none. */
  values: (number | null)[];
  /** The name of a colour token: `chart-1`. */
  color: string;
  kind?: "area" | "line" | "dashed" | "dotted" | "bars";
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
  /** Thin vertical lines: a deployment at its time. */
  marks?: { time: number; label: string }[];
  format?: (value: number) => string;
}
