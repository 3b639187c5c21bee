import { lazy, Suspense } from "react";
import { formatDateTime, formatNumber } from "../lib/format.ts";
import type { ChartProps } from "./chart-types.ts";

const Canvas = lazy(() => import("./chart-canvas.tsx"));

/** A chart, and the same numbers as a table for whoever cannot see it. The library loads when the first chart is shown. */
export function Chart({ height = 220, ...props }: ChartProps) {
  const { title, times, series, format = formatNumber } = props;
  return (
    <figure className="chart">
      <div className="chart-legend" aria-hidden>
        {series.map(({ label, color, kind }) => (
          <span className="row" key={label}>
            <i className="chart-key" data-kind={kind} style={{ color: `var(--${color})` }} />
            {label}
          </span>
        ))}
      </div>
      <div className="chart-canvas" style={{ height }} aria-hidden>
        <Suspense fallback={null}>
          <Canvas height={height} {...props} />
        </Suspense>
      </div>
      {/* Around it, as a table takes the width that its words need. */}
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ label }) => (
                <th scope="col" key={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <th scope="row">{formatDateTime(time)}</th>
                {series.map(({ label, values }) => (
                  <td key={label}>{values[index] == null ? "" : format(values[index])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The shape of a series in a few pixels: an SVG line without axes. */
export function Sparkline({ values, color = "chart-1" }: { values: number[]; color?: string }) {
  if (values.length < 2) return <svg className="sparkline" aria-hidden />;
  const top = Math.max(...values, 1);
  const points = values.map((value, index) => `${(index / (values.length - 1)) * 100},${23 - (value / top) * 22}`);
  return (
    <svg
      className="sparkline"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      aria-hidden
      style={{ color: `var(--${color})` }}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
