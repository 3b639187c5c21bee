import { now } from "../lib/clock.ts";
import { formatNumber } from "../lib/format.ts";
import { Chart } from "./chart.tsx";
import type { ChartSeries } from "./chart-types.ts";

/** The usage of a meter, step by step. */
interface MeterSeries {
  label?: string;
  points: { time: string; used: number }[];
  max: number;
  forecast?: number;
}

const stepMs = { "1h": 3_600_000, "1d": 86_400_000 };

interface MeterProps {
  from: string;
  to: string;
  step: keyof typeof stepMs;
  name: string;
  meter: MeterSeries;
}

/** The usage of a meter over a period, with the limit and, in the current period, a forecast. */
export function MeterChart({ name, meter, from, to, step }: MeterProps) {
  const unit = meter.label ?? name;
  const { times, series } = growth(meter, { start: new Date(from).getTime(), end: new Date(to).getTime(), step });
  return (
    <>
      <Chart
        title={`${unit} in this period`}
        height={180}
        unit={`${unit}, added up`}
        empty={`No ${unit} in this period.`}
        times={times}
        series={series}
      />
      {meter.forecast !== undefined && <p className="small muted">{expectation(meter)}</p>}
    </>
  );
}

function expectation({ forecast = 0, max }: MeterSeries): string {
  const end = `At the current rate, the period ends at about ${formatNumber(Math.round(forecast))}`;
  if (max === 0 || forecast <= max) return `${end} of ${formatNumber(max)}.`;
  return `${end}, ${formatNumber(Math.round(forecast - max))} over the limit of ${formatNumber(max)}.`;
}

/** Cumulative values at the end of each step; the forecast extends from now to the end of the period. */
function growth(
  { points, max, forecast }: MeterSeries,
  { start, end, step }: { start: number; end: number; step: keyof typeof stepMs },
): { times: number[]; series: ChartSeries[] } {
  const begun = points.map(({ time, used }) => ({ begin: new Date(time).getTime(), used }));
  // The clock of a test bucket may be ahead of the browser's.
  const lastUsed = begun.findLast(({ used }) => used > 0)?.begin ?? start;
  const present = Math.min(lastUsed > now() ? lastUsed + stepMs[step] : now(), end);
  const ends = begun
    .filter(({ begin }) => begin <= present)
    .map(({ begin, used }) => ({ time: Math.min(begin + stepMs[step], present), used }));
  let sum = 0;
  const used = new Map<number, number>([[start, 0]]);
  for (const each of ends) {
    sum += each.used;
    used.set(each.time, sum);
  }
  const last = [...used.keys()].at(-1)!;
  const times = last < end ? [...used.keys(), end] : [...used.keys()];
  const expected = times.map((time) => (time === last ? sum : time === end ? Math.round(forecast ?? 0) : null));
  return {
    times,
    series: [
      { label: "Used", color: "chart-1", kind: "area", values: times.map((time) => used.get(time) ?? null) },
      { label: "Limit", color: "chart-2", kind: "dashed", values: times.map(() => max) },
      ...(forecast === undefined
        ? []
        : [{ label: "Forecast", color: "chart-4", kind: "dotted" as const, values: expected }]),
    ],
  };
}
