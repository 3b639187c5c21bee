import type { Subscription } from "../../../../client/index.ts";
import { LoadError } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { formatUtcDay } from "../../../lib/format.ts";
import { Section } from "../../shell/page.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { useSubscriptionsOf } from "../billing/use-subscriptions.ts";
import { usePlans } from "../subscriptions/plans.ts";
import { SubscriptionStatus } from "../subscriptions/status.tsx";

/** The subscriptions of a customer with their payment, the newest first. */
export function CustomerSubscriptions({ bucket, customer }: { bucket: string; customer: string }) {
  const plans = usePlans(bucket);
  const panel = usePanel("subscription");
  const subscriptions = useSubscriptionsOf(bucket, customer);
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const columns: Column<Subscription>[] = [
    {
      label: "Plans",
      render: ({ id, planIds }) => (
        <PanelLink panel="subscription" id={id}>
          {planIds.map(labelOf).join(", ")}
        </PanelLink>
      ),
    },
    { label: "Status", render: ({ status }) => <SubscriptionStatus status={status} /> },
    { label: "Payment", render: (subscription) => <Payment {...subscription} /> },
    {
      label: "Next period",
      render: ({ nextBillingCycle, cancelsOn }) =>
        cancelsOn ? `Ends on ${formatUtcDay(cancelsOn)}` : formatUtcDay(nextBillingCycle),
    },
  ];
  return (
    <Section title="Subscriptions">
      {subscriptions.error ? (
        <LoadError error={subscriptions.error} onRetry={() => subscriptions.refetch()} />
      ) : (
        <Table
          caption="Subscriptions"
          columns={columns}
          rows={subscriptions.data?.data.toReversed()}
          keyOf={({ id }) => id}
          onOpen={({ id }) => panel.open(id)}
          openRow={panel.shown}
          skeletonRows={2}
        />
      )}
    </Section>
  );
}

const states = { not_required: "Nothing was due", pending: "Open", paid: "Paid", failed: "Failed" };

function Payment({ payment, status }: Pick<Subscription, "payment" | "status">) {
  if (!payment) return <span className="muted">No price</span>;
  const { state, blocksOn } = payment;
  // With another status, set by hand or by a pause, access has ended for that reason.
  const ends = status === "unpaid" ? "ended" : status === "active" || status === "trialing" ? "ends" : undefined;
  const end = state === "failed" && blocksOn && ends ? `: access ${ends} on ${formatUtcDay(blocksOn)}` : "";
  return <span>{`${states[state]}${end}`}</span>;
}
