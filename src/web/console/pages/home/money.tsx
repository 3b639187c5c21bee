import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Skeleton } from "../../../components/skeleton.tsx";
import { plural } from "../../../lib/format.ts";
import { formatMoney } from "../../../lib/money.ts";
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
        note={(sums) => `a month from ${plural(countOf(sums, "subscriptions"), "subscription")}`}
        action={
          <Link to="/billing" search={{ tab: "revenue" }}>
            Show revenue
          </Link>
        }
      />
      <MoneyTile label="Overdue" sums={overdue} isBad note={noteOfInvoices} action={<UnpaidLink sums={overdue} />} />
      <MoneyTile
        label="Failed payments"
        sums={failed}
        isBad
        note={noteOfInvoices}
        action={<UnpaidLink sums={failed} />}
      />
    </div>
  );
}

type Late = Money["overdue"];

const noteOfInvoices = (sums: Late) => `in ${plural(countOf(sums, "invoices"), "invoice")}`;

const countOf = <Name extends string>(sums: Record<Name, number>[], name: Name): number =>
  sums.reduce((count, sum) => count + sum[name], 0);

function UnpaidLink({ sums }: { sums: Late }) {
  if (sums.length === 0) return null;
  return (
    <Link to="/billing" search={{ tab: "unpaid" }}>
      Show invoices
    </Link>
  );
}

interface MoneyTileProps<Sum> {
  label: string;
  /** By currency; undefined while it is being computed. */
  sums: Sum[] | undefined;
  note: (sums: Sum[]) => string;
  action: ReactNode;
  /** Whether any amount is bad. */
  isBad?: boolean;
}

function MoneyTile<Sum extends { currency: string; amount: string }>(props: MoneyTileProps<Sum>) {
  const { label, sums, note, action, isBad } = props;
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
    </div>
  );
}
