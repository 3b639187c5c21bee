import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import { formatSmallMoney } from "../../../lib/money.ts";
import type { Range } from "../../queries/range.ts";
import { type ModelSeries, tokenCategories } from "./figures.ts";

interface Props {
  /** Undefined while loading. */
  series: ModelSeries | undefined;
  range: Range;
}

const timesOf = ({ points }: ModelSeries) => points.map(({ time }) => new Date(time).getTime());

/** Money and tokens over time. */
export function ModelCharts({ series, range }: Props) {
  return (
    <div className="columns columns-even">
      <div className="card">
        <h3 className="card-title">Cost and charge</h3>
        <MoneyChart series={series} range={range} />
      </div>
      <div className="card">
        <h3 className="card-title">Tokens by category</h3>
        <TokenChart series={series} range={range} />
      </div>
    </div>
  );
}

function MoneyChart({ series, range }: Props) {
  if (!series) return <ChartSkeleton height={200} />;
  const { currency, cost } = series.totals;
  if (cost === null) return <p className="muted">The models have prices in several currencies, see the table.</p>;
  const format = (value: number) => (currency ? formatSmallMoney(value.toFixed(9), currency) : String(value));
  return (
    <Chart
      title="Cost and charge"
      height={200}
      unit={currency ? `${currency} ${range.each}` : range.each}
      empty="No cost in this time range."
      isLastIncomplete
      times={timesOf(series)}
      format={format}
      formatAxis={format}
      series={[
        { label: "Charge", color: "chart-1", values: series.points.map(({ charge }) => Number(charge)) },
        { label: "Cost", color: "chart-2", values: series.points.map((point) => Number(point.cost)) },
      ]}
    />
  );
}

function TokenChart({ series, range }: Props) {
  if (!series) return <ChartSkeleton height={200} />;
  return (
    <Chart
      title="Tokens by category"
      height={200}
      isStacked
      unit={`tokens ${range.each}`}
      empty="No tokens in this time range."
      isLastIncomplete
      times={timesOf(series)}
      series={tokenCategories.map(({ name, label, color }) => ({
        label,
        color,
        kind: "area",
        values: series.points.map((point) => point[name]),
      }))}
    />
  );
}
