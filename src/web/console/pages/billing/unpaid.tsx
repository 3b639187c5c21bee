import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { Invoice } from "../../../../client/index.ts";
import { EmptyState, LoadError, Notice } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { formatNumber, formatUtcDay } from "../../../lib/format.ts";
import { formatMoney, formatSums } from "../../../lib/money.ts";
import { useSession } from "../../queries/session.tsx";
import type { BillingView } from "./billing-view.ts";
import { InvoiceState, reasonOf } from "./invoice-state.tsx";
import { maxUnpaid, useUnpaid } from "./use-invoices.ts";

/** What customers owe, and why it is not paid. */
export function Unpaid({ bucket, search, set }: BillingView) {
  const unpaid = useUnpaid(bucket);
  if (unpaid.error) return <LoadError error={unpaid.error} onRetry={() => unpaid.refetch()} />;
  if (unpaid.data?.total === 0)
    return (
      <EmptyState icon={<CircleCheck size={20} aria-hidden />} title="Everything is paid">
        Open invoices are listed here, with the reason why they are not paid.
      </EmptyState>
    );
  const rows = unpaid.data?.data.toSorted(byUrgency);
  const late = rows?.filter(({ failedOn }) => failedOn !== undefined);
  const columns: Column<Invoice>[] = [
    {
      label: "Customer",
      render: ({ customerKey, id }) => (
        <Link
          className="row-link"
          to="/billing"
          search={{ ...search, invoice: id }}
          onClick={(event) => {
            event.preventDefault();
            set({ invoice: id });
          }}
        >
          {customerKey}
        </Link>
      ),
    },
    { label: "Invoice", isMinor: true, render: ({ number }) => <span className="mono">{number}</span> },
    { label: "Due", isNumber: true, render: ({ amountDue, currency }) => formatMoney(amountDue, currency) },
    { label: "State", render: (invoice) => <InvoiceState invoice={invoice} /> },
    { label: "Reason", isText: "wide", render: (invoice) => <Reason bucket={bucket} invoice={invoice} /> },
    { label: "Due on", isMinor: true, render: ({ dueOn }) => dueOn && formatUtcDay(dueOn) },
  ];
  return (
    <div className="stack">
      {rows && (
        <Notice kind={late!.length > 0 ? "warning" : "info"}>
          {formatSums(rows.map(({ amountDue, currency }) => ({ amount: amountDue, currency })))} are open
          {late!.length > 0 &&
            `, of which ${formatSums(late!.map(({ amountDue, currency }) => ({ amount: amountDue, currency })))} are overdue or failed`}
          .
          {unpaid.data!.total > rows.length &&
            ` These are the oldest ${formatNumber(maxUnpaid)} of ${formatNumber(unpaid.data!.total)} invoices.`}
        </Notice>
      )}
      <Table
        caption="Unpaid invoices"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ invoice: id })}
        isSelected={({ id }) => id === search.invoice}
      />
    </div>
  );
}

/** Failed payments first, then by due date. */
function byUrgency(one: Invoice, other: Invoice): number {
  const rank = ({ failedOn, status }: Invoice) => (status === "uncollectible" ? 2 : failedOn === undefined ? 1 : 0);
  return rank(one) - rank(other) || (one.dueOn ?? "").localeCompare(other.dueOn ?? "");
}

function Reason({ bucket, invoice }: { bucket: string; invoice: Invoice }) {
  const { api } = useSession();
  const { customerKey, status } = invoice;
  const customer = useQuery({
    queryKey: ["customer", bucket, customerKey],
    queryFn: ({ signal }) => api.customers(bucket).get(customerKey, { signal }),
    enabled: status === "open",
    staleTime: 60_000,
  });
  const hasNone = customer.data !== undefined && customer.data.paymentMethod === undefined;
  const text = `${reasonOf(invoice)}${hasNone ? " The customer has no payment method." : ""}`;
  return <span title={text}>{text}</span>;
}
