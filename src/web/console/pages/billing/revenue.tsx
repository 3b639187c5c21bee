import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import type { Revenue } from "../../../../client/index.ts";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { formatMoney, sumsOf } from "../../../lib/money.ts";
import { useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import type { BillingView } from "./billing-view.ts";

type Part = Revenue["data"][number];

/** More plans share a column. */
const maxColumns = 5;

const monthName = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });
const nameOf = (month: string) => monthName.format(new Date(`${month}-01T00:00:00Z`));

/** What was invoiced in each month, by plan. */
export function RevenueView({ bucket }: BillingView) {
  const { api } = useSession();
  const plans = usePlans(bucket);
  const revenue = useQuery({
    queryKey: ["revenue", bucket],
    queryFn: ({ signal }) => api.invoices(bucket).revenue({ signal }),
  });
  if (revenue.error) return <LoadError error={revenue.error} onRetry={() => revenue.refetch()} />;
  if (!revenue.data) return <SkeletonLines />;
  const { data } = revenue.data;
  if (data.length === 0)
    return (
      <EmptyState
        icon={<ChartColumn size={20} aria-hidden />}
        title="Nothing was invoiced in twelve months"
        guide="billing"
        action={
          <Link className="button" to="/plans" search={{ bucket }}>
            Show plans
          </Link>
        }
      >
        Finalized invoices are added up here, by month and plan, without taxes.
      </EmptyState>
    );
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const currencies = [...new Set(data.map(({ currency }) => currency))].sort();
  return (
    <div className="stack">
      {currencies.map((currency) => (
        <Section key={currency} title={`Revenue in ${currency}`}>
          <Months parts={data.filter((each) => each.currency === currency)} currency={currency} labelOf={labelOf} />
        </Section>
      ))}
      <p className="muted small">
        Invoices count in the month in which they were finalized, without taxes. Void invoices do not count, and credit
        notes are subtracted.
      </p>
    </div>
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
  const amount = (some: Part[]) =>
    some.length === 0 ? <span className="muted">–</span> : formatMoney(totalOf(some), currency);
  const columns: Column<string>[] = [
    { label: "Month", render: (month) => nameOf(month) },
    {
      label: "Total",
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
    {
      label: "Overage",
      isNumber: true,
      isMinor: true,
      render: (month) => {
        const parts = months.get(month)!.map(({ overage }) => ({ amount: overage, currency }));
        return formatMoney(sumsOf(parts)[0]!.amount, currency);
      },
    },
    {
      label: "Credits",
      isNumber: true,
      isMinor: true,
      render: (month) => {
        const parts = months.get(month)!.map(({ credits }) => ({ amount: credits, currency }));
        return formatMoney(sumsOf(parts)[0]!.amount, currency);
      },
    },
  ];
  return <Table caption={`Revenue in ${currency}`} columns={columns} rows={rows} keyOf={(month) => month} />;
}
