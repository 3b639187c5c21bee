import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Sparkline } from "../../../components/chart.tsx";
import { Skeleton } from "../../../components/notice.tsx";
import { formatMoney, plural } from "../../../lib/format.ts";
import type { Overview } from "./use-overview.ts";

type Money = Overview["money"];

/** Recurring revenue, and overdue amounts. Renders nothing for an account that sells nothing. */
export function MoneyTiles({ money: { isSelling, recurring, overdue, failed } }: { money: Money }) {
  if (!isSelling && recurring?.length === 0 && overdue.length + failed.length === 0) return null;
  return (
    <div className="figures money" data-count={3}>
      <MoneyTile
        label="Recurring revenue"
        sums={recurring}
        values={trendOf(recurring)}
        note={(sums) => `a month from ${plural(countOf(sums, "subscriptions"), "subscription")}`}
        action={
          <Link to="/billing" search={{ tab: "revenue" }}>
            Show revenue
          </Link>
        }
      />
      <UnpaidTiles overdue={overdue} failed={failed} />
    </div>
  );
}

/** Of the months before and now, from the first amount on. Amounts of several currencies are not added. */
function trendOf(recurring: Money["recurring"]): number[] | undefined {
  if (recurring?.length !== 1) return undefined;
  const [{ trend, amount }] = recurring as [NonNullable<Money["recurring"]>[number]];
  const values = [...trend.map((month) => Number(month.amount)), Number(amount)];
  const first = values.findIndex((value) => value > 0);
  return first < values.length - 1 ? values.slice(first) : undefined;
}

type Late = Money["overdue"];

const countOf = <Name extends string>(sums: Record<Name, number>[], name: Name): number =>
  sums.reduce((count, sum) => count + sum[name], 0);

/** What is overdue, and what could not be collected. */
export function UnpaidTiles({ overdue, failed, bucket }: { overdue: Late; failed: Late; bucket?: string }) {
  return Object.entries({ Overdue: overdue, "Failed payments": failed }).map(([label, sums]) => (
    <MoneyTile
      key={label}
      label={label}
      sums={sums}
      isBad
      note={(some) => `in ${plural(countOf(some, "invoices"), "invoice")}`}
      action={
        sums.length > 0 && (
          <Link to="/billing" search={{ tab: "unpaid", bucket }}>
            Show invoices
          </Link>
        )
      }
    />
  ));
}

interface MoneyTileProps<Sum> {
  label: string;
  /** By currency; undefined while it is being computed. */
  sums: Sum[] | undefined;
  note: (sums: Sum[]) => string;
  action?: ReactNode;
  /** Whether any amount is bad. */
  isBad?: boolean;
  /** The course of the amount. */
  values?: number[] | undefined;
}

export function MoneyTile<Sum extends { currency: string; amount: string }>(props: MoneyTileProps<Sum>) {
  const { label, sums, note, action, isBad, values } = props;
  return (
    <div className="card">
      <div className="figure-label">{label}</div>
      <div className="figure-value" data-tone={isBad && sums?.length ? "bad" : undefined}>
        {sums === undefined ? (
          <Skeleton width={90} />
        ) : sums.length === 0 ? (
          <span className="muted">None</span>
        ) : (
          sums.map(({ currency, amount }) => <div key={currency}>{formatMoney(amount, currency)}</div>)
        )}
      </div>
      <div className="figure-change">
        {sums && sums.length > 0 && note(sums)} {action}
      </div>
      {values && <Sparkline values={values} />}
    </div>
  );
}
