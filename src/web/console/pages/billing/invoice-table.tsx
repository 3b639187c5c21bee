import { Link } from "@tanstack/react-router";
import type { Invoice } from "../../../../client/index.ts";
import { type Column, Table } from "../../../components/table.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { CustomerName, useDisplayNames } from "../../queries/display-names.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { InvoiceState, NextStep } from "./invoice-state.tsx";

interface Props {
  caption: string;
  bucket: string;
  rows: Invoice[] | undefined;
  /** Omitted on the page of a customer. */
  hasCustomer?: boolean;
  skeletonRows?: number;
}

/** Invoices with their state and what happens next. The search parameter `invoice` opens the panel of one. */
export function InvoiceTable({ caption, bucket, rows, hasCustomer = true, skeletonRows }: Props) {
  const panel = usePanel("invoice");
  const displayNames = useDisplayNames(hasCustomer ? rows?.map(({ customerKey }) => customerKey) : undefined);
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
            render: ({ customerKey, buyer }: Invoice) => (
              <Link to="/customers/$bucket/$key" params={{ bucket, key: customerKey }} search={{ tab: "billing" }}>
                <CustomerName
                  name={customerKey}
                  displayName={displayNames.data?.get(customerKey)}
                  legalName={buyer?.legalName}
                />
              </Link>
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
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      panel={panel}
      {...(skeletonRows === undefined ? {} : { skeletonRows })}
    />
  );
}
