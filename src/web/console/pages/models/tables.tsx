import type { ModelAnalytics } from "../../../../client/index.ts";
import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import { Figure } from "../../../components/number.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { formatMs, formatNumber, formatPercent, formatSmallMoney } from "../../../lib/format.ts";
import { ConsumerLink } from "../../components/consumer-link.tsx";
import { Cost } from "../../components/cost.tsx";
import { useDisplayNames } from "../../queries/display-names.tsx";
import type { Range } from "../../queries/range.ts";
import { errorShare } from "../home/tiles.tsx";

export type ModelSeries = ModelAnalytics["series"][number];
export type ModelTotals = ModelSeries["totals"];

/** The categories of tokens, each token being in one of them. Red means errors, so none has it. */
const tokenCategories = [
  { name: "input", label: "Input", color: "chart-4" },
  { name: "cached", label: "Cached", color: "chart-5" },
  { name: "cacheWrite", label: "Cache writes", color: "chart-2" },
  { name: "output", label: "Output", color: "chart-1" },
] as const;

/** The margin as a share of the charge. Undefined without a charge, and if there are several currencies. */
export function marginShare({ margin, charge }: Pick<ModelTotals, "margin" | "charge">): number | undefined {
  const charged = Number(charge ?? 0);
  return margin === null || charged <= 0 ? undefined : Number(margin) / charged;
}

const keyOf = ({ key, isOther }: ModelSeries) => (isOther ? "all others" : `key ${key}`);

const nameColumn = (label: string): Column<ModelSeries> => ({
  label,
  isText: true,
  render: ({ key, isOther }) =>
    isOther ? (
      <span className="muted">All others</span>
    ) : (
      <span className="mono" title={key ?? undefined}>
        {key}
      </span>
    ),
});

const requests: Column<ModelSeries> = {
  label: "Requests",
  isNumber: true,
  render: ({ totals }) => <Figure value={totals.requests} />,
};

const cost: Column<ModelSeries> = {
  label: "Cost",
  isNumber: true,
  render: ({ totals }) => <Cost amount={totals.cost} currency={totals.currency} />,
};

/** Requests, tokens by category, cost, charge and margin. */
const usageColumns: Column<ModelSeries>[] = [
  requests,
  ...tokenCategories.map(({ name, label }) => ({
    label,
    isNumber: true,
    isMinor: name !== "input" && name !== "output",
    render: ({ totals }: ModelSeries) => <Figure value={totals[name]} />,
  })),
  cost,
  {
    label: "Charge",
    isNumber: true,
    render: ({ totals }) => <Cost amount={totals.charge} currency={totals.currency} />,
  },
  { label: "Margin", isNumber: true, render: Margin },
];

/** What each model costs and earns. */
export function ModelTable({ series }: { series: ModelSeries[] | undefined }) {
  const columns = [nameColumn("Model"), ...usageColumns];
  return <Table caption="Models" columns={columns} rows={series} keyOf={keyOf} skeletonRows={3} />;
}

/** Which consumers use models most. */
export function ConsumerTable({ series }: { series: ModelSeries[] | undefined }) {
  const displayNames = useDisplayNames(series?.map(({ key }) => key));
  const name: Column<ModelSeries> = {
    label: "Consumer",
    isText: true,
    render: ({ key, isOther }) =>
      isOther ? (
        <span className="muted">All others</span>
      ) : key === null ? (
        <span className="muted">No consumer</span>
      ) : (
        <ConsumerLink name={key} displayName={displayNames.data?.get(key)} />
      ),
  };
  return <Table caption="Consumers" columns={[name, ...usageColumns]} rows={series} keyOf={keyOf} skeletonRows={3} />;
}

function Margin({ totals }: ModelSeries) {
  const share = marginShare(totals);
  return (
    <>
      <Cost amount={totals.margin} currency={totals.currency} />
      {share !== undefined && <span className="muted number"> ({formatPercent(share)})</span>}
    </>
  );
}

/** How reliable and how fast each provider is. */
export function ProviderTable({ series }: { series: ModelSeries[] | undefined }) {
  const columns: Column<ModelSeries>[] = [
    nameColumn("Provider"),
    requests,
    {
      label: "Errors",
      isNumber: true,
      render: ({ totals }) => (
        <span className="number" title={formatNumber(totals.errors)}>
          {totals.errors === 0 ? "None" : `${formatNumber(totals.errors)} (${formatPercent(errorShare(totals))})`}
        </span>
      ),
    },
    {
      label: "Time to first byte",
      isNumber: true,
      render: ({ totals: { firstByteMs } }) => (
        <span className="number">{firstByteMs === null ? "–" : formatMs(firstByteMs)}</span>
      ),
    },
    {
      label: "Estimated",
      isNumber: true,
      isMinor: true,
      render: ({ totals }) => <Figure value={totals.estimated} />,
    },
    cost,
  ];
  return <Table caption="Providers" columns={columns} rows={series} keyOf={keyOf} skeletonRows={2} />;
}

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
