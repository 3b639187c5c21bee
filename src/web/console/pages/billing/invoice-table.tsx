import type { ComponentProps } from "react";
import type { Invoice } from "../../../../client/index.ts";
import { type Column, List } from "../../../components/table.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { CustomerLink, useDisplayNames } from "../../queries/display-names.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { InvoiceState, NextStep } from "./invoice-state.tsx";
import type { useInvoices } from "./queries.ts";

type Props = Omit<ComponentProps<typeof List<Invoice>>, "caption" | "columns" | "of"> & {
  bucket: string;
  of: ReturnType<typeof useInvoices>;
  /** Omitted on the page of a customer. */
  hasCustomer?: boolean;
};

/** Invoices with their state and what happens next. The search parameter `invoice` opens the panel of one. */
export function InvoiceTable({ bucket, hasCustomer = true, ...list }: Props) {
  const panel = usePanel("invoice");
  const displayNames = useDisplayNames(
    hasCustomer ? list.of.data?.data.map(({ customerKey }) => customerKey) : undefined,
  );
  const columns: Column<Invoice>[] = [
    {
      label: "Number",
      render: ({ id, number }) => (
        <PanelLink panel="invoice" id={id}>
          {number ?? "Not numbered yet"}
        </PanelLink>
      ),
    },
    ...(hasCustomer
      ? [
          {
            label: "Customer",
            isText: "wide" as const,
            render: ({ customerKey, buyer }: Invoice) => (
              <CustomerLink
                bucket={bucket}
                name={customerKey}
                displayName={displayNames.data?.get(customerKey)}
                legalName={buyer?.legalName}
              />
            ),
          },
        ]
      : []),
    { label: "State", render: (invoice) => <InvoiceState invoice={invoice} /> },
    {
      label: "Total",
      isNumber: true,
      isLead: true,
      render: ({ type, total, currency }) => formatMoney(type === "credit-note" ? `-${total}` : total, currency),
    },
    {
      label: "Due",
      isNumber: true,
      render: ({ status, type, amountDue, currency }) =>
        type === "credit-note" || status === "paid" || status === "void" ? (
          <span className="muted">–</span>
        ) : (
          formatMoney(amountDue, currency)
        ),
    },
    { label: "Next step", render: (invoice) => <NextStep invoice={invoice} /> },
    {
      label: "Date",
      isMinor: true,
      render: ({ finalizedOn, createdOn }) => formatUtcDay(finalizedOn ?? createdOn),
    },
  ];
  return <List {...list} caption="Invoices" columns={columns} panel={panel} />;
}
