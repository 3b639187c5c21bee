import { keepPreviousData } from "@tanstack/react-query";
import { Banknote } from "lucide-react";
import { Badge } from "../../../components/badge.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { List } from "../../../components/table.tsx";
import { ExactTime } from "../../../components/time.tsx";
import { formatMoney } from "../../../lib/format.ts";
import { CustomerName, useDisplayNames } from "../../queries/display-names.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { FilterBar } from "../../shell/filter-bar.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { type BillingView, customerFilter } from "./billing-view.ts";
import { DownloadCsv } from "./download-csv.tsx";
import { newestFirst } from "./queries.ts";

/** Money that was received, and refunds. */
export default function PaymentList({ bucket, search, set }: BillingView) {
  const { api } = useSession();
  const panel = usePanel("invoice");
  const page = search.page ?? 1;
  const filter = { customerKey: search.customer };
  const payments = useRead(
    ["payments", bucket, filter, page],
    (api, { signal }) =>
      newestFirst(page, (paging) =>
        api
          .invoices(bucket)
          .payments({ ...filter, ...paging, signal })
          .page(),
      ),
    { placeholderData: keepPreviousData },
  );
  const displayNames = useDisplayNames(payments.data?.data.map(({ customerKey }) => customerKey));
  return (
    <>
      <FilterBar
        filters={[customerFilter({ search, set })]}
        end={<DownloadCsv name="payments.csv" load={() => api.invoices(bucket).paymentsCsv(filter)} />}
      />
      <List
        caption="Payments"
        of={payments}
        keyOf={({ invoiceId, creditNoteId }) => creditNoteId ?? invoiceId}
        panel={panel}
        page={page}
        onPage={(next) => set({ page: next })}
        empty={
          <EmptyState icon={Banknote} title="No payments" guide="billing#payments">
            Payments of invoices, and refunds. Invoices that credits pay are not listed.
          </EmptyState>
        }
        columns={[
          {
            label: "Customer",
            isText: "wide",
            render: ({ customerKey, invoiceId, creditNoteId }) => (
              <PanelLink panel="invoice" id={creditNoteId ?? invoiceId}>
                <CustomerName name={customerKey} displayName={displayNames.data?.get(customerKey)} />
              </PanelLink>
            ),
          },
          { label: "Paid", render: ({ paidOn }) => <ExactTime time={paidOn} /> },
          {
            label: "Amount",
            isNumber: true,
            isLead: true,
            render: ({ type, amount, currency }) => formatMoney(type === "refund" ? `-${amount}` : amount, currency),
          },
          {
            label: "Type",
            render: ({ type, state }) =>
              type === "payment" ? (
                <Badge tone="green">Payment</Badge>
              ) : (
                <Badge tone={state === "pending" ? "amber" : "grey"}>
                  {state === "pending" ? "Refund pending" : "Refund"}
                </Badge>
              ),
          },
          { label: "Number", isMinor: true, render: ({ number }) => <span className="mono">{number}</span> },
          { label: "Reference", isMinor: true, render: ({ reference }) => reference ?? "" },
        ]}
      />
    </>
  );
}
