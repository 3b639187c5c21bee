import { Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import type { RecurringRevenue, Revenue } from "../../../../client/index.ts";
import { Chart } from "../../../components/chart.tsx";
import { EmptyState, NotLoaded } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { formatMoney, formatUtcMonth, plural, sumsOf } from "../../../lib/format.ts";
import { CustomerLink, useDisplayNames } from "../../queries/display-names.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { MoneyTile, UnpaidTiles } from "../home/money.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import type { BillingView } from "./billing-view.ts";
import { DownloadCsv } from "./download-csv.tsx";

type Part = Revenue["data"][number];
type Month = RecurringRevenue["months"][number];

/** More plans share a column. */
const maxColumns = 4;
/** Red is last, for it means errors elsewhere. */
const planColours = ["chart-1", "chart-4", "chart-5", "chart-2", "chart-3"];

/** At noon: the same day in most zones. */
const startOf = (month: string) => `${month}-01T12:00:00Z`;
const nameOf = (month: string) => formatUtcMonth(startOf(month));

/** Recurring revenue with its changes, and what was invoiced in each month, by plan. */
export function RevenueView({ bucket }: BillingView) {
  const { api } = useSession();
  const plans = usePlans(bucket);
  const revenue = useRead(["revenue", bucket], async (api, { signal }) => {
    const invoices = api.invoices(bucket);
    const [recurring, billed] = await Promise.all([
      invoices.recurringRevenue({ signal }),
      invoices.revenue({ signal }),
    ]);
    return { recurring, billed: billed.data };
  });
  if (revenue.error || !revenue.data) return <NotLoaded of={revenue} />;
  const { recurring, billed } = revenue.data;
  const { months, topCustomers, overdue, failed } = recurring;
  if (billed.length + months.length === 0)
    return (
      <EmptyState
        icon={ChartColumn}
        title="Nothing was invoiced in twelve months"
        guide="billing"
        action={
          <Link className="button" to="/plans" search={{ bucket }}>
            Show plans
          </Link>
        }
      >
        What subscriptions pay each month, and why it changed, is shown here, with what was invoiced by plan.
      </EmptyState>
    );
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const currencies = [...new Set([...months, ...billed].map(({ currency }) => currency))].sort();
  const present = months.filter(({ month, end }) => month === recurring.to && Number(end) > 0);
  return (
    <div className="stack">
      <div className="figures" data-count={3}>
        <MoneyTile
          label="Recurring revenue"
          sums={present.map(({ currency, end, customers }) => ({ currency, amount: end, customers }))}
          note={(sums) =>
            `a month from ${plural(
              sums.reduce((sum, each) => sum + each.customers, 0),
              "customer",
            )}`
          }
        />
        <UnpaidTiles {...{ overdue, failed, bucket }} />
      </div>
      {currencies.map((currency, index) => {
        const inCurrency = <Item extends { currency: string }>(all: Item[]) =>
          all.filter((each) => each.currency === currency);
        const invoiced: PlanPart[] = inCurrency(billed).map(({ total, ...part }) => ({ ...part, amount: total }));
        const byPlan = Map.groupBy([...inCurrency(recurring.plans), ...invoiced], ({ planId }) => planId ?? "");
        const order = [...byPlan].sort(([, one], [, other]) => sumOf(other) - sumOf(one)).map(([planId]) => planId);
        return (
          <div className="stack" key={currency}>
            {inCurrency(months).length > 0 && (
              <Section
                title={`Recurring revenue in ${currency}`}
                actions={
                  index === 0 && (
                    <DownloadCsv
                      isSmall
                      name="recurring-revenue.csv"
                      load={async function* () {
                        yield await api.invoices(bucket).recurringRevenueCsv();
                      }}
                    />
                  )
                }
              >
                <PlanChart
                  {...{ order, months: monthsUntil(recurring.to) }}
                  title={`Recurring revenue in ${currency}, by plan`}
                  parts={inCurrency(recurring.plans)}
                  currency={currency}
                  labelOf={labelOf}
                />
                <div className="stack">
                  <Changes months={inCurrency(months)} currency={currency} />
                  <TopCustomers customers={inCurrency(topCustomers)} currency={currency} bucket={bucket} />
                </div>
              </Section>
            )}
            {inCurrency(billed).length > 0 && (
              <Section title={`Invoiced in ${currency}`}>
                <PlanChart
                  {...{ order, months: monthsUntil(recurring.to) }}
                  title={`Invoiced in ${currency}, by plan`}
                  parts={invoiced}
                  currency={currency}
                  labelOf={labelOf}
                />
                <Months parts={inCurrency(billed)} currency={currency} labelOf={labelOf} />
              </Section>
            )}
          </div>
        );
      })}
      <p className="muted small">
        Recurring revenue is the fees of plans at the end of each month (UTC), in this month now: a yearly fee counts
        with one twelfth; trials and usage do not count. Invoices count in the month in which they were finalized,
        without taxes. Void invoices do not count, and credit notes are subtracted.
      </p>
    </div>
  );
}

/** The last twelve months. */
function monthsUntil(to: string): string[] {
  const last = new Date(startOf(to));
  const at = (ago: number) => new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - ago));
  return Array.from({ length: 12 }, (_, index) =>
    at(11 - index)
      .toISOString()
      .slice(0, 7),
  );
}

interface PlanPart {
  month: string;
  planId?: string | undefined;
  amount: string;
}

const sumOf = (parts: PlanPart[]): number => parts.reduce((sum, { amount }) => sum + Number(amount), 0);

interface PlanChartProps {
  title: string;
  /** The ids of plans: they have the same colours in all charts of a currency. */
  order: string[];
  months: string[];
  parts: PlanPart[];
  currency: string;
  labelOf: (planId: string) => string;
}

/** What each plan contributes to each month. */
function PlanChart({ title, order, months, parts, currency, labelOf }: PlanChartProps) {
  const plans = [...Map.groupBy(parts, ({ planId }) => planId ?? "")].toSorted(
    ([one], [other]) => order.indexOf(one) - order.indexOf(other),
  );
  const others = plans.slice(maxColumns).flatMap(([, its]) => its);
  const shown: [string, typeof parts][] = plans
    .slice(0, maxColumns)
    .map(([planId, its]) => [planId === "" ? "Without a plan" : labelOf(planId), its]);
  if (others.length > 0) shown.push(["Other plans", others]);
  const format = (value: number) => formatMoney(value.toFixed(2), currency);
  return (
    <Chart
      title={title}
      isStacked
      unit={`${currency} a month`}
      times={months.map((month) => Date.parse(startOf(month)))}
      formatTime={formatUtcMonth}
      format={format}
      series={shown.map(([label, its], index) => ({
        label,
        color: planColours[index]!,
        kind: "bars",
        values: months.map((month) => Math.max(0, sumOf(its.filter((part) => part.month === month)))),
      }))}
    />
  );
}

function Changes({ months, currency }: { months: Month[]; currency: string }) {
  const amount = (text: string) =>
    Number(text) === 0 ? <span className="muted">–</span> : formatMoney(text, currency);
  const columns: Column<Month>[] = [
    { label: "Month", render: ({ month }) => nameOf(month) },
    { label: "New", isNumber: true, render: (month) => amount(month.new) },
    { label: "Expansion", isNumber: true, render: ({ expansion }) => amount(expansion) },
    { label: "Contraction", isNumber: true, render: ({ contraction }) => amount(contraction) },
    { label: "Churn", isNumber: true, render: ({ churn }) => amount(churn) },
    { label: "At the end", isNumber: true, isLead: true, render: ({ end }) => formatMoney(end, currency) },
    { label: "Customers", isNumber: true, isMinor: true, render: ({ customers }) => customers },
  ];
  return (
    <Table
      caption={`Changes in ${currency}`}
      columns={columns}
      rows={months.toReversed()}
      keyOf={({ month }) => month}
    />
  );
}

type Top = RecurringRevenue["topCustomers"][number];

function TopCustomers({ customers, currency, bucket }: { customers: Top[]; currency: string; bucket: string }) {
  const displayNames = useDisplayNames(customers.map(({ customerKey }) => customerKey));
  const columns: Column<Top>[] = [
    {
      label: "Top customers",
      render: ({ customerKey }) => (
        <CustomerLink bucket={bucket} name={customerKey} displayName={displayNames.data?.get(customerKey)} />
      ),
    },
    { label: "A month", isNumber: true, isLead: true, render: ({ amount }) => formatMoney(amount, currency) },
  ];
  return (
    <Table
      caption={`Top customers in ${currency}`}
      columns={columns}
      rows={customers}
      keyOf={({ customerKey }) => customerKey}
    />
  );
}

interface MonthsProps {
  parts: Part[];
  currency: string;
  labelOf: (planId: string) => string;
}

function Months({ parts, currency, labelOf }: MonthsProps) {
  const totalOf = (some: Part[]) => sumsOf(some.map(({ total }) => ({ amount: total, currency })))[0]?.amount ?? "0";
  const months = Map.groupBy(parts, ({ month }) => month);
  const byPlan = [...Map.groupBy(parts, ({ planId }) => planId ?? "")]
    .filter(([planId]) => planId !== "")
    .toSorted(([, one], [, other]) => Number(totalOf(other)) - Number(totalOf(one)))
    .map(([planId]) => planId);
  const shown = byPlan.slice(0, maxColumns);
  const rows = [...months.keys()].toSorted().toReversed();
  const largest = Math.max(...rows.map((month) => Number(totalOf(months.get(month)!))), 0);
  const partColumn = (label: string, amountOf: (part: Part) => string): Column<string> => ({
    label,
    isNumber: true,
    isMinor: true,
    render: (month) => {
      const parts = months.get(month)!.map((part) => ({ amount: amountOf(part), currency }));
      return formatMoney(sumsOf(parts)[0]!.amount, currency);
    },
  });
  const amount = (some: Part[]) =>
    some.length === 0 ? <span className="muted">–</span> : formatMoney(totalOf(some), currency);
  const columns: Column<string>[] = [
    { label: "Month", render: (month) => nameOf(month) },
    {
      label: "Total",
      isLead: true,
      render: (month) => {
        const total = totalOf(months.get(month)!);
        return (
          <span className="usage-bar">
            <span className="meter-bar" data-tone="accent" aria-hidden>
              <i style={{ width: `${largest > 0 ? Math.max(0, Number(total) / largest) * 100 : 0}%` }} />
            </span>
            <span className="number">{formatMoney(total, currency)}</span>
          </span>
        );
      },
    },
    ...shown.map((planId) => ({
      label: labelOf(planId),
      isNumber: true,
      render: (month: string) => amount(months.get(month)!.filter((part) => part.planId === planId)),
    })),
    ...(byPlan.length > maxColumns
      ? [
          {
            label: "Other plans",
            isNumber: true,
            render: (month: string) =>
              amount(months.get(month)!.filter(({ planId }) => planId && !shown.includes(planId))),
          },
        ]
      : []),
    partColumn("Overage", ({ overage }) => overage),
    partColumn("Credits", ({ credits }) => credits),
  ];
  return <Table caption={`Invoiced in ${currency}`} columns={columns} rows={rows} keyOf={(month) => month} />;
}
