import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Building2 } from "lucide-react";
import type { Customer, Invoice } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { EmptyState, Skeleton } from "../../../components/notice.tsx";
import { type Column, List } from "../../../components/table.tsx";
import { PaymentMethod } from "../../components/payment-method.tsx";
import { CustomerLink, useDisplayNames } from "../../queries/display-names.tsx";
import { usePaged } from "../../queries/paged.ts";
import { useRead } from "../../queries/session.tsx";
import { UsageBar } from "../../queries/usage.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import type { BillingView } from "./billing-view.ts";
import { formatDue } from "./invoice-state.tsx";
import { useOwed } from "./queries.ts";

/** The customers with plan, usage, payment method and amount due. */
export function CustomerList({ bucket, search, set }: BillingView) {
  const navigate = useNavigate();
  const isByDue = search.sort === "amountDue";
  const sort = isByDue ? "amountDue" : undefined;
  const customers = usePaged(
    ["customers", bucket, sort],
    (api, paging) =>
      api
        .customers(bucket)
        .list({ ...paging, sort })
        .page(),
    { placeholderData: keepPreviousData },
  );
  const keys = customers.data?.data.map(({ customerKey }) => customerKey) ?? [];
  const usage = useRead(
    // The list of subscriptions keeps the usage of the same customers by subscription.
    ["usage", bucket, "by customer", keys],
    async (api, { signal }) => {
      const { data } = await api.metering.usage(bucket, { customerKeys: keys, limit: 1000, signal }).page();
      return Map.groupBy(data, ({ customerKey }) => customerKey);
    },
    { enabled: keys.length > 0, placeholderData: keepPreviousData },
  );
  const displayNames = useDisplayNames(customers.data && keys);
  const plans = usePlans(bucket);
  const owed = useOwed(bucket, keys);
  const open = Map.groupBy(owed.data?.open ?? [], ({ customerKey }) => customerKey);
  const givenUp = Map.groupBy(owed.data?.givenUp ?? [], ({ customerKey }) => customerKey);
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const show = (key: string) =>
    navigate({ to: "/customers/$bucket/$key", params: { bucket, key }, search: { tab: "billing" } });
  const columns: Column<Customer>[] = [
    {
      label: "Customer",
      isText: "wide",
      render: ({ customerKey, legalName }) => (
        <CustomerLink
          isRow
          bucket={bucket}
          name={customerKey}
          displayName={displayNames.data?.get(customerKey)}
          legalName={legalName}
        />
      ),
    },
    {
      label: "Plans",
      render: ({ customerKey }) => {
        if (usage.isPending || plans.isPending) return <Skeleton width={64} />;
        if (!usage.data) return null;
        const ids = usage.data.get(customerKey)?.flatMap(({ planIds }) => planIds);
        return ids ? [...new Set(ids)].map(labelOf).join(", ") : <span className="muted">None active</span>;
      },
    },
    {
      label: "Usage",
      render: ({ customerKey }) => {
        if (usage.isPending) return <Skeleton />;
        const share = usage.data?.get(customerKey)?.[0];
        return share ? <UsageBar usage={share} plans={plans.data} /> : usage.data && <span className="muted">–</span>;
      },
    },
    { label: "Pays by", isMinor: true, render: ({ paymentMethod }) => <PaymentMethod method={paymentMethod} /> },
    {
      label: "Amount due",
      isNumber: true,
      isLead: true,
      sort: {
        isActive: isByDue,
        direction: "descending",
        onToggle: () => set({ sort: isByDue ? undefined : "amountDue", page: undefined }),
      },
      render: ({ customerKey }) =>
        owed.isPending ? (
          <Skeleton width={48} />
        ) : (
          owed.data && <Owes open={open.get(customerKey) ?? []} givenUp={givenUp.get(customerKey) ?? []} />
        ),
    },
    { label: "Email", isMinor: true, render: ({ email }) => email ?? <span className="muted">None</span> },
  ];
  return (
    <List
      caption="Customers"
      of={customers}
      {...customers.paging}
      columns={columns}
      keyOf={({ customerKey }) => customerKey}
      onOpen={({ customerKey }) => void show(customerKey)}
      empty={
        <EmptyState
          icon={Building2}
          title="No customers yet"
          guide="billing"
          action={
            <Link className="button" data-kind="primary" to="/subscriptions" search={{ bucket, new: true }}>
              Create a subscription
            </Link>
          }
        >
          Customers appear here with their first subscription.
        </EmptyState>
      }
    />
  );
}

/** What is open, what of it is overdue, and what was given up. */
function Owes({ open, givenUp }: { open: Invoice[]; givenUp: Invoice[] }) {
  if (open.length + givenUp.length === 0) return <span className="muted">–</span>;
  const late = open.filter(({ failedOn }) => failedOn !== undefined);
  return (
    <>
      {open.length > late.length && formatDue(open)}{" "}
      {late.length > 0 && <Badge tone="red">{formatDue(late)} overdue</Badge>}{" "}
      {givenUp.length > 0 && <Badge tone="grey">{formatDue(givenUp)} given up</Badge>}
    </>
  );
}
