import { keepPreviousData } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import type { Invoice } from "../../../../client/index.ts";
import { EmptyState, Notice, Skeleton } from "../../../components/notice.tsx";
import { type Column, List } from "../../../components/table.tsx";
import { formatMoney, formatNumber, formatUtcDay } from "../../../lib/format.ts";
import { CustomerName, useDisplayNames } from "../../queries/display-names.tsx";
import { useRead } from "../../queries/session.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import type { BillingView } from "./billing-view.ts";
import { formatDue, InvoiceState, reasonOf } from "./invoice-state.tsx";
import { type Owed, useOwed, useUnpaid } from "./queries.ts";

/** What customers owe, and why it is not paid. */
export function Unpaid({ bucket, isTest, search, set }: BillingView & { isTest: boolean }) {
  const panel = usePanel("invoice");
  const page = search.page ?? 1;
  const unpaid = useUnpaid(bucket, page);
  const owed = useOwed(bucket);
  const displayNames = useDisplayNames(unpaid.data?.data.map(({ customerKey }) => customerKey));
  const withoutMethod = useCustomersWithoutMethod(bucket, isTest, unpaid.data?.data);
  const columns: Column<Invoice>[] = [
    {
      label: "Customer",
      render: ({ customerKey, buyer, id }) => (
        <PanelLink panel="invoice" id={id}>
          <CustomerName
            name={customerKey}
            displayName={displayNames.data?.get(customerKey)}
            legalName={buyer?.legalName}
          />
        </PanelLink>
      ),
    },
    { label: "Invoice", isMinor: true, render: ({ number }) => <span className="mono">{number}</span> },
    {
      label: "Due",
      isNumber: true,
      isLead: true,
      render: ({ amountDue, currency }) => formatMoney(amountDue, currency),
    },
    { label: "State", render: (invoice) => <InvoiceState invoice={invoice} /> },
    {
      label: "Reason",
      isText: "wide",
      render: (invoice) => {
        const hasNone = invoice.status === "open" && withoutMethod.has(invoice.customerKey);
        const text = `${reasonOf(invoice)}${hasNone ? " The customer has no payment method." : ""}`;
        return <span title={text}>{text}</span>;
      },
    },
    { label: "Due on", isMinor: true, render: ({ dueOn }) => dueOn && formatUtcDay(dueOn) },
  ];
  return (
    <div className="stack">
      <List
        caption="Unpaid invoices"
        of={unpaid}
        columns={columns}
        panel={panel}
        page={page}
        onPage={(next) => set({ page: next })}
        above={
          owed.data ? (
            <Sums owed={owed.data} />
          ) : (
            owed.isPending && (
              <Notice>
                <Skeleton width={280} />
              </Notice>
            )
          )
        }
        empty={
          <EmptyState icon={CircleCheck} title="Everything is paid" guide="failed-payments">
            Open invoices are listed here, with the reason why they are not paid.
          </EmptyState>
        }
      />
    </div>
  );
}

/** What is open and what was given up are added up separately: nothing is collected of the latter. */
function Sums({ owed: { open, openTotal, givenUp, givenUpTotal } }: { owed: Owed }) {
  const late = open.filter(({ failedOn }) => failedOn !== undefined);
  const oldest = (invoices: Invoice[], total: number) =>
    total > invoices.length ? ` in the oldest ${formatNumber(invoices.length)} of ${formatNumber(total)} invoices` : "";
  return (
    <Notice kind={late.length > 0 ? "warning" : "info"}>
      {open.length === 0 ? "Nothing is open" : `${formatDue(open)} are open${oldest(open, openTotal)}`}
      {late.length > 0 && `, of which ${formatDue(late)} are overdue or failed`}.
      {givenUp.length > 0 && ` ${formatDue(givenUp)} were given up${oldest(givenUp, givenUpTotal)}.`}
    </Notice>
  );
}

/** The customers of invoices who have no payment method, if the provider uses payment methods. */
function useCustomersWithoutMethod(bucket: string, isTest: boolean, invoices: Invoice[] = []): Set<string> {
  const mode = isTest ? "test" : "live";
  const provider = useRead(["payment-provider", mode], (api, { signal }) => api.billing.provider(mode, { signal }));
  const open = invoices.filter(({ status }) => status === "open");
  const customerKeys = [...new Set(open.map(({ customerKey }) => customerKey))];
  const customers = useRead(
    ["customers", bucket, customerKeys],
    (api, { signal }) => api.customers(bucket).list({ customerKeys, limit: customerKeys.length, signal }).page(),
    {
      enabled: customerKeys.length > 0 && provider.data !== undefined && provider.data.type !== "manual",
      placeholderData: keepPreviousData,
    },
  );
  const without = customers.data?.data.filter(({ paymentMethod }) => paymentMethod === undefined) ?? [];
  return new Set(without.map(({ customerKey }) => customerKey));
}
