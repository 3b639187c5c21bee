import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Plus, ReceiptText, Scale } from "lucide-react";
import { useState } from "react";
import type { Subscription } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { type Column, List } from "../../components/table.tsx";
import { DayTime } from "../../components/time.tsx";
import { MeteringBucketSelect, useChosenMeteringBucket } from "../queries/buckets.tsx";
import { CustomerLink, useDisplayNames } from "../queries/display-names.tsx";
import { usePaged } from "../queries/paged.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { UsageBar } from "../queries/usage.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { PanelLink, usePanel } from "../shell/panel-links.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { NoPlans } from "./plans.tsx";
import { type Status, SubscriptionStatus, statusOptions } from "./subscriptions/change-status.tsx";
import { NewSubscription } from "./subscriptions/new-subscription.tsx";
import { usePlans } from "./subscriptions/plans.ts";
import { Reconcile } from "./subscriptions/reconcile.tsx";
import { SubscriptionPanel } from "./subscriptions/subscription-panel.tsx";

const route = getRouteApi("/frame/subscriptions");

/** A subscription; sorted by usage, only with what the list of usage has. */
type Row = Pick<Subscription, "id" | "customerKey" | "planIds" | "status" | "nextBillingCycle"> &
  Partial<Pick<Subscription, "renewalStrategy" | "subscriptionExternalId" | "createdOn">>;

/** Columns that the list of usage cannot fill. */
const unknownByUsage = ["Renews", "External id", "Created"];

export function SubscriptionsPage() {
  const { canBill, deniedBill } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/subscriptions" });
  const { buckets, bucket } = useChosenMeteringBucket(search.bucket);
  const plans = usePlans(bucket);
  const panel = usePanel("subscription");
  const [isReconciling, setReconciling] = useState(false);
  const filter = { customerKey: search.customer, planId: search.plan, status: search.status as Status | undefined };
  const isFiltered = Object.values(filter).some(Boolean);
  // The API sorts the active subscriptions of a bucket by usage, without other filters.
  const isByUsage = search.sort === "usage" && !isFiltered;
  const subscriptions = usePaged(
    ["subscriptions", bucket, filter, isByUsage],
    async (api, paging): Promise<{ data: Row[]; total: number }> => {
      const filtered = { ...filter, ...paging };
      if (!isByUsage) return api.subscriptions(bucket!).list(filtered).page();
      const { data, total } = await api.metering.usage(bucket!, paging).page();
      return {
        data: data.map((each) => ({ ...each, id: each.subscriptionId, nextBillingCycle: each.periodEnd })),
        total,
      };
    },
    { enabled: bucket !== undefined, placeholderData: keepPreviousData },
  );
  const customers = [...new Set(subscriptions.data?.data.map(({ customerKey }) => customerKey))];
  const displayNames = useDisplayNames(subscriptions.data && customers);
  const usage = useRead(
    ["usage", bucket, customers],
    async (api, { signal }) => {
      const { data } = await api.metering.usage(bucket!, { customerKeys: customers, limit: 1000, signal }).page();
      return new Map(data.map((each) => [each.subscriptionId, each]));
    },
    {
      enabled: bucket !== undefined && customers.length > 0,
      placeholderData: keepPreviousData,
    },
  );
  const set = (changes: Record<string, string | boolean | undefined>) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...changes }) as typeof old });
  const labelOf = (planId: string) => plans.data?.find(({ id }) => id === planId)?.label ?? planId;
  const columns: Column<Row>[] = [
    {
      label: "Customer",
      isText: "wide",
      render: ({ customerKey }) => (
        <CustomerLink bucket={bucket!} name={customerKey} displayName={displayNames.data?.get(customerKey)} />
      ),
    },
    {
      label: "Plans",
      render: ({ id, planIds }) => (
        <PanelLink panel="subscription" id={id}>
          {planIds.map(labelOf).join(", ")}
        </PanelLink>
      ),
    },
    { label: "Status", isLead: true, render: ({ status }) => <SubscriptionStatus status={status} /> },
    {
      label: "Usage",
      sort: isFiltered
        ? undefined
        : {
            isActive: isByUsage,
            direction: "descending",
            onToggle: () => set({ sort: isByUsage ? undefined : "usage" }),
          },
      render: ({ id }) => <UsageBar usage={usage.data?.get(id)} plans={plans.data} />,
    },
    { label: "Renews", isMinor: true, render: ({ renewalStrategy }) => renewalStrategy },
    { label: "Next period", render: ({ nextBillingCycle }) => <DayTime time={nextBillingCycle} /> },
    {
      label: "External id",
      isMinor: true,
      render: ({ subscriptionExternalId }) => <span className="mono">{subscriptionExternalId}</span>,
    },
    { label: "Created", isMinor: true, render: ({ createdOn }) => createdOn && <DayTime time={createdOn} /> },
  ];
  return (
    <>
      <PageHead
        title="Subscriptions"
        actions={
          bucket && (
            <>
              <AsCommand call={(api) => api.subscriptions(bucket).list().page()} />
              <Button icon={Scale} onClick={() => setReconciling(true)}>
                Reconcile
              </Button>
              <Button icon={Plus} kind="primary" denied={deniedBill} onClick={() => set({ new: true })}>
                New subscription
              </Button>
            </>
          )
        }
      >
        <p>Customers with their plans and usage.</p>
      </PageHead>
      <FilterBar
        start={<MeteringBucketSelect value={bucket} onChange={(name) => navigate({ search: { bucket: name } })} />}
        filters={[
          {
            label: "Customer",
            placeholder: "Customer: acme",
            value: search.new ? undefined : search.customer,
            onChange: (customer) => set({ customer }),
          },
          {
            label: "Status",
            value: search.status,
            options: statusOptions,
            onChange: (status) => set({ status }),
          },
          {
            label: "Plan",
            value: search.plan,
            options: plans.data?.map(({ id, label }) => ({ value: id, label })) ?? [],
            onChange: (plan) => set({ plan }),
          },
        ]}
      />
      {buckets.data?.length === 0 ? (
        <NoPlans isFirst />
      ) : (
        <List
          caption="Subscriptions"
          of={subscriptions}
          {...subscriptions.paging}
          error={buckets.error}
          columns={isByUsage ? columns.filter(({ label }) => !unknownByUsage.includes(label)) : columns}
          panel={panel}
          empty={
            <EmptyState
              icon={ReceiptText}
              title={isFiltered ? "No subscription matches" : "No subscriptions yet"}
              guide="metering#subscriptions"
              action={
                isFiltered ? (
                  <Button onClick={() => set({ customer: undefined, status: undefined, plan: undefined })}>
                    Clear filters
                  </Button>
                ) : (
                  <Button kind="primary" denied={deniedBill} onClick={() => set({ new: true })}>
                    Create the first subscription
                  </Button>
                )
              }
            >
              A subscription gives a customer the right to use what its plans allow, period by period.
            </EmptyState>
          }
        />
      )}
      {isReconciling && bucket && <Reconcile bucket={bucket} onClose={() => setReconciling(false)} />}
      {search.new && canBill && bucket && (
        <NewSubscription
          bucket={bucket}
          customer={search.customer}
          onClose={() => navigate({ search: ({ new: _, customer: __, ...old }) => old })}
          onCreated={(id) => navigate({ search: { bucket, subscription: id } })}
        />
      )}
      {panel.shown && bucket && <SubscriptionPanel bucket={bucket} id={panel.shown} onClose={panel.close} />}
    </>
  );
}
