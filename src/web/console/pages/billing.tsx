import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { LoadError, Notice } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { BucketSelect, labelsOf, useChosenMeteringBucket } from "../queries/buckets.tsx";
import { PageHead } from "../shell/page.tsx";
import { usePanel } from "../shell/panel-links.tsx";
import { AsCommand } from "../shell/requests.tsx";
import type { BillingView } from "./billing/billing-view.ts";
import { CustomerList } from "./billing/customer-list.tsx";
import { InvoiceList } from "./billing/invoice-list.tsx";
import { InvoicePanel } from "./billing/invoice-panel.tsx";
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
        <p>What customers are invoiced, what they owe, and what comes in.</p>
      </PageHead>
      <div className="filters">
        <BucketSelect
          label="Metering bucket"
          value={bucket}
          names={buckets.data?.map(({ id }) => id)}
          labels={labelsOf(buckets.data)}
          onChange={(name) => navigate({ search: (old) => ({ ...(old.tab ? { tab: old.tab } : {}), bucket: name }) })}
        />
      </div>
      {chosen?.isTest && (
        <Notice>This is a test bucket: its time stands still until its clock is moved, and no money moves.</Notice>
      )}
      {buckets.error ? (
        <LoadError error={buckets.error} onRetry={() => buckets.refetch()} />
      ) : buckets.data?.length === 0 ? (
        <NoPlans isFirst />
      ) : bucket === undefined ? (
        <SkeletonLines />
      ) : (
        <div className="billing-tabs" data-unplaced={buckets.isPending || undefined}>
          <Tabs
            value={search.tab ?? "invoices"}
            onChange={(tab) => navigate({ search: { ...(search.bucket ? { bucket: search.bucket } : {}), tab } })}
            tabs={[
              { value: "invoices", label: "Invoices", content: () => <InvoiceList {...{ bucket, search, set }} /> },
              {
                value: "unpaid",
                label: "Unpaid",
                content: () => <Unpaid isTest={chosen?.isTest === true} {...{ bucket, search, set }} />,
              },
              {
                value: "payments",
                label: "Payments",
                content: () => (
                  <Suspense fallback={<SkeletonLines />}>
                    <PaymentList {...{ bucket, search, set }} />
                  </Suspense>
                ),
              },
              { value: "customers", label: "Customers", content: () => <CustomerList {...{ bucket, search, set }} /> },
              {
                value: "packs",
                label: "Credit packs",
                content: () => (
                  <Suspense fallback={<SkeletonLines />}>
                    <PackList {...{ bucket, search, set }} />
                  </Suspense>
                ),
              },
              { value: "revenue", label: "Revenue", content: () => <RevenueView {...{ bucket, search, set }} /> },
            ]}
          />
        </div>
      )}
      {panel.shown && bucket && <InvoicePanel bucket={bucket} id={panel.shown} onClose={panel.close} />}
    </>
  );
}
