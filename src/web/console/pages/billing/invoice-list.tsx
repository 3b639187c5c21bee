import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { Pager } from "../../../components/table.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { useSession } from "../../queries/session.tsx";
import { FilterBar } from "../../shell/filter-bar.tsx";
import type { BillingView } from "./billing-view.ts";
import { DownloadCsv } from "./download-csv.tsx";
import { type InvoiceStatus, invoiceStatuses, invoiceStatusLabel } from "./invoice-state.tsx";
import { InvoiceTable } from "./invoice-table.tsx";
import { useInvoices } from "./use-invoices.ts";

export function InvoiceList({ bucket, search, set }: BillingView) {
  const { api } = useSession();
  const filter = {
    ...(search.customer ? { customerKey: search.customer } : {}),
    ...(search.status ? { status: search.status as InvoiceStatus } : {}),
  };
  const count = Object.keys(filter).length;
  const page = search.page ?? 1;
  const invoices = useInvoices(bucket, filter, page);
  return (
    <>
      <FilterBar count={count}>
        <FilterField
          label="Filter by customer"
          placeholder="Customer: acme"
          value={search.customer}
          onChange={(customer) => set({ customer, page: undefined })}
        />
        <select
          className="input"
          aria-label="State"
          value={search.status ?? ""}
          onChange={(event) => set({ status: event.target.value || undefined, page: undefined })}
        >
          <option value="">Any state</option>
          {invoiceStatuses.map((status) => (
            <option key={status} value={status}>
              {invoiceStatusLabel(status)}
            </option>
          ))}
        </select>
        <DownloadCsv name="invoices.csv" load={() => api.invoices(bucket).listCsv(filter)} />
      </FilterBar>
      {invoices.error ? (
        <LoadError error={invoices.error} onRetry={() => invoices.refetch()} />
      ) : invoices.data?.total === 0 ? (
        <EmptyState
          icon={<ReceiptText size={20} aria-hidden />}
          title={count > 0 ? "No invoice matches" : "No invoices yet"}
          guide="billing"
          action={
            count > 0 ? (
              <Button onClick={() => set({ customer: undefined, status: undefined, page: undefined })}>
                Clear filters
              </Button>
            ) : (
              <Link className="button" data-kind="primary" to="/plans" search={{ bucket }}>
                Set the price of a plan
              </Link>
            )
          }
        >
          Subscriptions to a plan with a price create invoices: fees in advance, usage beyond the limits afterwards.
        </EmptyState>
      ) : (
        <>
          <InvoiceTable caption="Invoices" bucket={bucket} rows={invoices.data?.data} />
          <Pager page={page} total={invoices.data?.total} onPage={(next) => set({ page: next })} />
        </>
      )}
    </>
  );
}
