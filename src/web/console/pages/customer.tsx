import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import type { Subscription } from "../../../client/index.ts";
import { LoadError, NotLoaded, SkeletonPage } from "../../components/notice.tsx";
import { type Tab, Tabs } from "../../components/tabs.tsx";
import { bucketOf } from "../components/consumer-link.tsx";
import { useMeteringBuckets } from "../queries/buckets.tsx";
import { useRead, useSession } from "../queries/session.tsx";
import { ConsumerActivity } from "./consumers/activity.tsx";
import { ConsumerKeys } from "./consumers/keys.tsx";
import { ConsumerManagers } from "./consumers/managers.tsx";
import { CustomerBilling } from "./customer/billing.tsx";
import { CustomerHead } from "./customer/head.tsx";
import { CustomerOverview } from "./customer/overview.tsx";
import { namedTabOf, useCustomerSearch } from "./customer/search.ts";
import { type CustomerPlace, useBilledCustomers } from "./customer/use-customer.ts";
import type { RequestSearch } from "./requests/filter.ts";
import { RequestList } from "./requests/list.tsx";
import { SubscriptionStatus } from "./subscriptions/change-status.tsx";
import { NoSubscription } from "./subscriptions/no-subscription.tsx";
import { usePlans } from "./subscriptions/plans.ts";
import { UsageView } from "./subscriptions/usage-view.tsx";

const byConsumer = getRouteApi("/frame/consumers/$bucket/$name");
const byKey = getRouteApi("/frame/customers/$bucket/$key");

/** The customer that a consumer is. */
export function ConsumerPage() {
  const { bucket, name } = byConsumer.useParams();
  const consumer = useRead(["consumer", bucket, name], (api, { signal }) =>
    api.consumers(bucket).get(name, { signal }),
  );
  if (consumer.error)
    return (
      <LoadError
        error={consumer.error}
        back={
          <Link className="button" to="/consumers" search={{ bucket }}>
            Show consumers
          </Link>
        }
      />
    );
  if (!consumer.data) return <SkeletonPage title={name} />;
  return <OneCustomer name={name} keyBucket={bucket} consumer={consumer.data} />;
}

/** A customer of a metering bucket: its consumer's page, if it has one. */
export function CustomerPage() {
  const { api } = useSession();
  const { bucket, key } = byKey.useParams();
  const search = byKey.useSearch();
  const found = useQuery(bucketOf(api, key));
  if (found.error) return <LoadError error={found.error} />;
  if (found.data === undefined) return <SkeletonPage title={key} />;
  if (found.data === null)
    return <OneCustomer name={key} keyBucket={undefined} consumer={undefined} metering={bucket} />;
  return (
    <Navigate
      to="/consumers/$bucket/$name"
      params={{ bucket: found.data, name: key }}
      search={{ ...search, tab: namedTabOf(search) ?? "billing", metering: bucket }}
      replace
    />
  );
}

function OneCustomer({ metering, ...place }: CustomerPlace & { metering?: string }) {
  const { name, keyBucket, consumer } = place;
  const { search, set } = useCustomerSearch();
  const billed = useBilledCustomers(name, metering);
  if (metering !== undefined && billed.error)
    return (
      <LoadError
        error={billed.error}
        back={
          <Link className="button" to="/billing" search={{ bucket: metering, tab: "customers" }}>
            Show customers
          </Link>
        }
      />
    );
  const chosen =
    billed.data?.find(({ bucketId }) => bucketId === (search.metering ?? metering)) ?? billed.data?.[0] ?? undefined;
  const tabs: Tab[] = [
    { value: "overview", label: "Overview", content: () => <CustomerOverview {...place} /> },
    { value: "keys", label: "Keys", content: () => <ConsumerKeys bucket={keyBucket!} name={name} /> },
    { value: "usage", label: "Usage", content: () => <ConsumerUsage name={name} /> },
    { value: "requests", label: "Requests", content: () => <CustomerRequests name={name} consumerId={consumer?.id} /> },
    { value: "billing", label: "Billing", content: () => <CustomerBilling {...{ name, billed, chosen }} /> },
    { value: "people", label: "People", content: () => <ConsumerManagers bucket={keyBucket!} name={name} /> },
    {
      value: "activity",
      label: "Activity",
      content: () => (
        <ConsumerActivity id={consumer!.id} name={name} filter={search.show} onFilter={(show) => set({ show })} />
      ),
    },
  ];
  // What only a consumer has.
  const ofConsumer = ["keys", "people", "activity"];
  const cleared = Object.fromEntries(Object.keys(search).map((each) => [each, undefined]));
  return (
    <>
      <CustomerHead {...place} billed={billed} chosen={chosen} />
      <Tabs
        value={namedTabOf(search) ?? (consumer ? "overview" : "billing")}
        onChange={(tab) => set({ ...cleared, metering: search.metering, tab })}
        tabs={consumer ? tabs : tabs.filter(({ value }) => !ofConsumer.includes(value))}
      />
    </>
  );
}

/** The requests of a customer. */
function CustomerRequests({ name, consumerId }: { name: string; consumerId: string | undefined }) {
  const { search, set } = useCustomerSearch();
  const onSearch = (changes: RequestSearch) => set({ ...changes, tab: "requests" });
  return <RequestList consumer={name} consumerId={consumerId} search={search} onSearch={onSearch} />;
}

/** The usage of a consumer: its subscriptions have its name as customer key. */
function ConsumerUsage({ name }: { name: string }) {
  const buckets = useMeteringBuckets();
  const ids = buckets.data?.map(({ id }) => id);
  const subscriptions = useRead(
    ["subscriptions", "of", name, ids],
    async (api, { signal }) => {
      const found = await Promise.all(
        ids!.map(async (bucketId) =>
          (await api.subscriptions(bucketId).list({ customerKey: name, limit: 20, signal }).page()).data.map(
            (subscription) => ({ bucketId, subscription }),
          ),
        ),
      );
      return found.flat();
    },
    { enabled: ids !== undefined },
  );
  const error = buckets.error ?? subscriptions.error;
  if (error || !subscriptions.data) return <NotLoaded of={{ error }} />;
  if (subscriptions.data.length === 0) return <NoSubscription name={name} />;
  return (
    <div className="stack stack-loose">
      {subscriptions.data.map(({ bucketId, subscription }) => (
        <section key={subscription.id} className="stack">
          <h2 className="row">
            <Link to="." search={{ tab: "billing", metering: bucketId, subscription: subscription.id } as never}>
              <PlanNames bucket={bucketId} subscription={subscription} />
            </Link>
            <SubscriptionStatus status={subscription.status} />
          </h2>
          <UsageView bucketId={bucketId} subscriptionId={subscription.id} planIds={subscription.planIds} />
        </section>
      ))}
    </div>
  );
}

/** The plans' labels; their external ids while the plans load. */
function PlanNames({ bucket, subscription }: { bucket: string; subscription: Subscription }) {
  const plans = usePlans(bucket);
  const labels = subscription.planIds.map((id) => plans.data?.find((plan) => plan.id === id)?.label);
  return <>{labels.map((label, index) => label ?? subscription.planExternalIds[index]).join(", ")}</>;
}
