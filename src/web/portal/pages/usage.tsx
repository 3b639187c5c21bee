import { ChartLine, CircleAlert } from "lucide-react";
import type { PortalSession, PortalUsage } from "../../../client/transport/portal-schema.gen.ts";
import { ChartSkeleton } from "../../components/chart.tsx";
import { MeterChart } from "../../components/meter-chart.tsx";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { Figure, Meter } from "../../components/number.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { formatSmallMoney, formatUnitPrice, formatUtcDay } from "../../lib/format.ts";
import { Link } from "../../lib/router.tsx";
import { useRead } from "../queries/api.ts";
import { isPricedBeyond, usePlans } from "../queries/plans.ts";
import { PageHead } from "../shell/page-head.tsx";
import { Spending } from "./spending.tsx";

type Models = PortalUsage["models"];
type ModelUse = Models["data"][number];

const tokens = (name: "input" | "cached" | "cacheWrite" | "output", label: string): Column<ModelUse> => ({
  label,
  isNumber: true,
  isMinor: name === "cached" || name === "cacheWrite",
  render: (use) => <Figure value={use[name]} />,
});

const columns: Column<ModelUse>[] = [
  { label: "Model", isText: true, render: ({ model }) => <span className="mono">{model}</span> },
  { label: "Requests", isNumber: true, render: ({ requests }) => <Figure value={requests} /> },
  tokens("input", "Input"),
  tokens("cached", "Cached"),
  tokens("cacheWrite", "Cache writes"),
  tokens("output", "Output"),
];

const charge: Column<ModelUse> = {
  label: "Charge",
  isNumber: true,
  render: ({ charge: charged }) =>
    charged ? (
      <span className="number" title={formatUnitPrice(charged.amount, charged.currency)}>
        {formatSmallMoney(charged.amount, charged.currency)}
      </span>
    ) : (
      "–"
    ),
};

/** The tokens and the charge of each model. */
function ModelUsage({ from, data }: Models) {
  const isCharged = data.some(({ charge: charged }) => Number(charged?.amount ?? 0) > 0);
  return (
    <section className="card stack" aria-labelledby="models">
      <div>
        <h2 id="models">Models</h2>
        <p className="muted">Requests and tokens since {formatUtcDay(from)}, by model.</p>
      </div>
      <Table
        caption="Models"
        columns={isCharged ? [...columns, charge] : columns}
        rows={data}
        keyOf={({ model, charge: charged }) => `${model} ${charged?.currency ?? ""}`}
      />
    </section>
  );
}

export default function UsagePage({ session }: { session: PortalSession }) {
  const usage = useRead("getPortalUsage", { refetchInterval: 30_000 });
  const plans = usePlans(false, session.pages.includes("plans"));
  if (usage.error) return <LoadError error={usage.error} />;
  const { subscription, unpaidPlans, meters = {}, models = { from: "", data: [] } } = usage.data ?? {};
  const hasModels = models.data.length > 0;
  return (
    <>
      <PageHead title="Usage">
        {subscription && (
          <>
            Plan {subscription.plans.join(", ")}
            {subscription.status === "trialing" && ", in its trial"}. From {formatUtcDay(subscription.periodStart)} to{" "}
            {formatUtcDay(subscription.periodEnd)}; it resets <RelativeTime time={subscription.periodEnd} />.
          </>
        )}
      </PageHead>
      {!usage.data ? (
        <div className="card">
          <ChartSkeleton height={180} />
        </div>
      ) : subscription ? (
        <div className="stack">
          {Object.entries(meters).map(([name, meter]) => (
            <section className="card stack" key={name}>
              <Meter
                label={meter.label ?? name}
                used={meter.used}
                max={meter.max}
                isBilled={isPricedBeyond(plans.data, name)}
              />
              <MeterChart
                name={name}
                meter={meter}
                from={subscription.periodStart}
                to={subscription.periodEnd}
                step="1d"
              />
            </section>
          ))}
          {hasModels && <ModelUsage {...models} />}
          <Spending mayChange={session.scopes.includes("plans:write")} />
        </div>
      ) : (
        <div className="stack">
          {unpaidPlans ? (
            <Unpaid plans={unpaidPlans} session={session} />
          ) : (
            !hasModels && (
              <EmptyState
                icon={ChartLine}
                title="No active plan"
                action={session.pages.includes("plans") && <Link href="/plans">See the plans</Link>}
              >
                Usage is shown here once your account has a plan.
              </EmptyState>
            )
          )}
          {hasModels && <ModelUsage {...models} />}
        </div>
      )}
    </>
  );
}

function Unpaid({ plans, session: { pages, scopes } }: { plans: string[]; session: PortalSession }) {
  return (
    <EmptyState
      icon={CircleAlert}
      title={`Plan ${plans.join(", ")} is unpaid`}
      action={
        pages.includes("plans") ? (
          <PayLink hasInvoices={pages.includes("invoices")} mayPay={scopes.includes("plans:write")} />
        ) : undefined
      }
    >
      Requests are rejected until it is paid.
    </EmptyState>
  );
}

/** Where the customer pays: online under Plans, or as the invoice says. */
function PayLink({ hasInvoices, mayPay }: { hasInvoices: boolean; mayPay: boolean }) {
  const plans = usePlans(false);
  if (!plans.data) return null;
  if (mayPay && plans.data.paysOnline)
    return (
      <Link className="button" data-kind="primary" href="/plans">
        Pay under Plans
      </Link>
    );
  return hasInvoices ? <Link href="/invoices">See the invoices</Link> : <Link href="/plans">See the plan</Link>;
}
