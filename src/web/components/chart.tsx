import { ChartLine, Table2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { formatMinute, formatNumber } from "../lib/format.ts";
import { Button } from "./button.tsx";
import { type ChartProps, marksBetween, soFar } from "./chart-types.ts";
import { CopyButton } from "./copy.tsx";

const Canvas = lazy(() => import("./chart-canvas.tsx"));

/** A chart, and the same numbers as a table for reading and copying. The library loads with the first chart. */
export function Chart({ height = 220, ...props }: ChartProps) {
  const { series, unit, empty = "There is no data in this time range." } = props;
  const [isTable, setTable] = useState(false);
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  return (
    <figure className="chart">
      <div className="chart-head">
        <div className="chart-legend" aria-hidden>
          {series.map(({ label, color, kind }) => (
            <span className="row" key={label}>
              <i className="chart-key" data-kind={kind} style={{ color: `var(--${color})` }} />
              {label}
            </span>
          ))}
          {unit && <span className="chart-unit">{unit}</span>}
        </div>
        {!isEmpty && (
          <span className="row">
            {isTable && <CopyButton text={tableText(props)} label={`Copy ${props.title}`} />}
            <Button
              icon={isTable ? ChartLine : Table2}
              kind="quiet"
              isSmall
              isIcon
              aria-label={isTable ? `Show ${props.title} as a chart` : `Show ${props.title} as a table`}
              title={isTable ? "Chart" : "Table"}
              onClick={() => setTable(!isTable)}
            />
          </span>
        )}
      </div>
      {isEmpty ? (
        <p className="chart-empty" style={{ height }}>
          {empty}
        </p>
      ) : (
        <>
          {!isTable && (
            <div className="chart-canvas" style={{ height }} aria-hidden>
              <Suspense fallback={null}>
                <Canvas height={height} {...props} />
              </Suspense>
            </div>
          )}
          <ChartTable {...props} height={height} isShown={isTable} />
        </>
      )}
    </figure>
  );
}

/** Visible on demand; always available to screen readers. */
function ChartTable({
  title,
  times,
  series,
  marks = [],
  height,
  isShown,
  format = formatNumber,
  formatTime = formatMinute,
  isLastIncomplete,
}: ChartProps & { isShown: boolean }) {
  const rows = times.map((time, index) => ({
    time,
    values: series.map(({ values }) => values[index]),
    marks: marksBetween(marks, times, index),
  }));
  return (
    <section
      className={isShown ? "chart-table" : "visually-hidden"}
      style={isShown ? { maxHeight: Math.max(height ?? 0, 160) } : undefined}
      // A landmark only where it scrolls: hidden tables are found by their captions, which may be equal.
      aria-label={isShown ? title : undefined}
      // Only a focused element scrolls by keyboard.
      tabIndex={isShown ? 0 : undefined}
    >
      <table className={isShown ? "table" : undefined}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label }) => (
              <th scope="col" key={label} data-align="end">
                {label}
              </th>
            ))}
            {marks.length > 0 && <th scope="col">Deployed</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.time}>
              <th scope="row">
                {formatTime(row.time)}
                {isLastIncomplete && row.time === times.at(-1) && soFar}
              </th>
              {series.map(({ label }, index) => (
                <td key={label} data-align="end">
                  {row.values[index] == null ? "" : format(row.values[index])}
                </td>
              ))}
              {marks.length > 0 && <td>{row.marks.map(({ label }) => label).join(", ")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Tab-separated text, for pasting into a spreadsheet. */
function tableText({ times, series }: ChartProps): string {
  const lines = times.map((time, index) => [
    new Date(time).toISOString(),
    ...series.map(({ values }) => String(values[index] ?? "")),
  ]);
  return [["Time", ...series.map(({ label }) => label)], ...lines].map((cells) => cells.join("\t")).join("\n");
}

/** A placeholder with the size of the chart, while its numbers load. */
export function ChartSkeleton({ height = 220 }: { height?: number }) {
  return (
    <div className="chart" aria-busy="true">
      <span className="visually-hidden" role="status">
        Loading
      </span>
      <div className="chart-head" />
      <span className="skeleton chart-skeleton" style={{ height }} aria-hidden />
    </div>
  );
}

interface SparklineProps {
  values: number[];
  color?: string;
  isLastIncomplete?: boolean;
}

/** The shape of a series in a few pixels: an SVG line without axes. */
export function Sparkline({ values, color = "chart-1", isLastIncomplete }: SparklineProps) {
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
      <polyline points={points.slice(0, isLastIncomplete ? -1 : undefined).join(" ")} />
      {isLastIncomplete && <polyline points={points.slice(-2).join(" ")} strokeDasharray="2 3" />}
    </svg>
  );
}
