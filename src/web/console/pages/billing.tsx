import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { lazy } from "react";
import { Button } from "../../components/button.tsx";
import { EmptyState, LoadError, Notice, SkeletonLines } from "../../components/notice.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { BucketSelect, labelsOf, useChosenMeteringBucket } from "../queries/buckets.tsx";
import { useSession } from "../queries/session.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { usePanel } from "../shell/panel-links.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { type BillingView, customerFilter } from "./billing/billing-view.ts";
import { CustomerList } from "./billing/customer-list.tsx";
import { DownloadCsv } from "./billing/download-csv.tsx";
import { InvoicePanel } from "./billing/invoice-panel.tsx";
import { type InvoiceStatus, invoiceStatuses, invoiceStatusLabel } from "./billing/invoice-state.tsx";
import { InvoiceTable } from "./billing/invoice-table.tsx";
import { useInvoices } from "./billing/queries.ts";
import { RevenueView } from "./billing/revenue.tsx";
import { Unpaid } from "./billing/unpaid.tsx";
import { NoPlans } from "./plans.tsx";

const PaymentList = lazy(() => import("./billing/payment-list.tsx"));
const PackList = lazy(() => import("./billing/pack-list.tsx"));

const route = getRouteApi("/frame/billing");

export function BillingPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/billing" });
  const { buckets, bucket } = useChosenMeteringBucket(search.bucket);
  const panel = usePanel("invoice");
  const chosen = buckets.data?.find(({ id }) => id === bucket);
  const set: BillingView["set"] = (changes) => navigate({ search: (old) => ({ ...old, ...changes }) as typeof old });
  const isTest = chosen?.isTest === true;
  return (
    <>
      <PageHead
        title="Billing"
        actions={
          bucket && (
            <AsCommand
              call={(api) => (search.tab === "packs" ? api.creditPacks(bucket) : api.invoices(bucket)).list().page()}
            />
          )
        }
      >
        <p>Invoices, payments and revenue of your customers.</p>
      </PageHead>
      <div className="filters">
        <BucketSelect
          label="Metering bucket"
          value={bucket}
          names={buckets.data?.map(({ id }) => id)}
          labels={labelsOf(buckets.data)}
          onChange={(name) => navigate({ search: (old) => ({ tab: old.tab, bucket: name }) })}
        />
      </div>
      {isTest && <Notice>This is a test bucket: its clock moves only when you move it, and no money moves.</Notice>}
      {buckets.error ? (
        <LoadError error={buckets.error} />
      ) : buckets.data?.length === 0 ? (
        <NoPlans isFirst />
      ) : bucket === undefined ? (
        <SkeletonLines />
      ) : (
        <div data-unplaced={buckets.isPending || undefined}>
          <Tabs
            value={search.tab ?? "invoices"}
            onChange={(tab) => navigate({ search: { bucket: search.bucket, tab } })}
            tabs={[
              { value: "invoices", label: "Invoices", content: () => <InvoiceList {...{ bucket, search, set }} /> },
              { value: "unpaid", label: "Unpaid", content: () => <Unpaid {...{ bucket, search, set, isTest }} /> },
              { value: "payments", label: "Payments", content: () => <PaymentList {...{ bucket, search, set }} /> },
              { value: "customers", label: "Customers", content: () => <CustomerList {...{ bucket, search, set }} /> },
              { value: "packs", label: "Credit packs", content: () => <PackList {...{ bucket, search, set }} /> },
              { value: "revenue", label: "Revenue", content: () => <RevenueView {...{ bucket, search, set }} /> },
            ]}
          />
        </div>
      )}
      {panel.shown && bucket && <InvoicePanel bucket={bucket} id={panel.shown} onClose={panel.close} />}
    </>
  );
}

function InvoiceList({ bucket, search, set }: BillingView) {
  const { api } = useSession();
  const { customer, status, page } = search;
  const filter = { customerKey: customer, status: status as InvoiceStatus | undefined };
  const isFiltered = customer !== undefined || status !== undefined;
  const invoices = useInvoices(bucket, filter, page);
  return (
    <>
      <FilterBar
        filters={[
          customerFilter({ search, set }),
          {
            label: "State",
            value: status,
            options: invoiceStatuses.map((value) => ({ value, label: invoiceStatusLabel(value) })),
            onChange: (next) => set({ status: next, page: undefined }),
          },
        ]}
        end={<DownloadCsv name="invoices.csv" load={() => api.invoices(bucket).listCsv(filter)} />}
      />
      <InvoiceTable
        bucket={bucket}
        of={invoices}
        page={page}
        onPage={(next) => set({ page: next })}
        empty={
          <EmptyState
            icon={ReceiptText}
            title={isFiltered ? "No invoice matches" : "No invoices yet"}
            guide="billing"
            action={
              isFiltered ? (
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
        }
      />
    </>
  );
}
