import type { ReactNode } from "react";
import type {
  PortalPlans,
  PortalRequest,
  PortalSession,
  PortalUsage,
} from "../../../client/transport/portal-schema.gen.ts";
import { Notice, SkeletonLines } from "../../components/notice.tsx";
import { Meter } from "../../components/number.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { customerState } from "../../lib/customer-state.ts";
import { formatMoney, formatSums, formatUtcDay, plural } from "../../lib/format.ts";
import { Link } from "../../lib/router.tsx";
import { useRead } from "../queries/api.ts";
import { currentPlans, isPricedBeyond, usePlans } from "../queries/plans.ts";
import { Reason, Status } from "./requests.tsx";

const shownMeters = 3;
const shownFailures = 3;

/**
 * What a customer looks for first: whether requests pass, the plan and its usage, the keys, and what failed lately. The
 * rest of the page follows when it is loaded, so that nothing moves.
 */
export default function Summary({ session: { pages }, children }: { session: PortalSession; children: ReactNode }) {
  const has = (page: PortalSession["pages"][number]) => pages.includes(page);
  const usage = useRead("getPortalUsage", { enabled: has("usage") });
  const plans = usePlans(false, has("plans"));
  const keys = useRead("listPortalKeys", { enabled: has("keys") });
  const failed = useRead("listPortalRequests", {
    query: { limit: shownFailures, outcome: "failed" },
    enabled: has("requests"),
  });
  const invoices = useRead("listPortalInvoices", { query: { limit: 1000 }, enabled: has("invoices") });
  if ([usage, plans, keys, failed, invoices].some(({ isLoading }) => isLoading)) return <SkeletonLines count={6} />;
  const open = invoices.data?.data.filter(({ type, status }) => type === "invoice" && status === "open");
  const late = invoices.data?.data.filter(
    ({ status, failedOn }) => status === "uncollectible" || (status === "open" && failedOn !== undefined),
  );
  const subscription = plans.data?.subscription;
  const state = customerState({
    keys: keys.data?.data,
    subscriptions: subscription && [subscription],
    usedUp: usedUpOf(usage.data, plans.data),
    unpaid: late?.map(({ number, amountDue, currency }) => ({ number, due: formatMoney(amountDue, currency) })),
  });
  const sums = open && formatSums(open.map(({ amountDue, currency }) => ({ amount: amountDue, currency })));
  return (
    <>
      <div className="stack">
        {(state.kind === "error" || state.kind === "warning") && <Notice kind={state.kind}>{state.text}</Notice>}
        <div className="step-links">
          {has("usage") && (
            <Card title="Plan" href={has("plans") ? "/plans" : "/usage"} action={has("plans") ? "Plans" : "Usage"}>
              <PlanAndUsage usage={usage.data} plans={plans.data} />
            </Card>
          )}
          {keys.data && (
            <Card title="Keys" href="/keys" action="Keys">
              <p>
                {keys.data.data.length === 0
                  ? "No key yet: create one to send requests."
                  : describeKeys(keys.data.data)}
              </p>
            </Card>
          )}
          {failed.data && (
            <Card title="Recent failures" href="/requests" action="Requests">
              {failed.data.data.length === 0 ? (
                <p>Nothing.</p>
              ) : (
                failed.data.data.map((each) => <Failure key={each.id} {...each} />)
              )}
            </Card>
          )}
          {open && open.length > 0 && (
            <Card
              title={`${plural(open.length, "open invoice")}`}
              href={plans.data?.paysOnline ? "/plans" : "/invoices"}
              action={plans.data?.paysOnline ? "Pay" : "Invoices"}
            >
              <p>
                {sums} {open[0]!.dueOn && `due on ${formatUtcDay(open[0]!.dueOn)}`}
              </p>
            </Card>
          )}
        </div>
      </div>
      {children}
    </>
  );
}

function Card({ title, href, action, children }: { title: string; href: string; action: string; children: ReactNode }) {
  return (
    <section className="card stack stack-tight summary-card">
      <div className="row row-between">
        <h2>{title}</h2>
        <Link href={href}>{action}</Link>
      </div>
      {children}
    </section>
  );
}

/** Meters of which no more is admitted. Of prepaid ones, the page of credit says what is left. */
function usedUpOf(usage: PortalUsage | undefined, plans: PortalPlans | undefined) {
  if (!usage?.subscription) return undefined;
  const until = usage.subscription.periodEnd;
  return Object.entries(usage.meters).flatMap(([name, { label, used, max }]) =>
    used >= max && !isPricedBeyond(plans, name) ? [{ label: label ?? name, until }] : [],
  );
}

function PlanAndUsage({ usage, plans }: { usage: PortalUsage | undefined; plans: PortalPlans | undefined }) {
  const subscription = usage?.subscription;
  if (!subscription) return <p>{usage?.unpaidPlans ? `${usage.unpaidPlans.join(", ")}, unpaid` : "None."}</p>;
  const price = currentPlans(plans).find((plan) => plan.price)?.price;
  const { cancelsOn, planChange } = plans?.subscription ?? {};
  const next = cancelsOn
    ? `ends on ${formatUtcDay(cancelsOn)}`
    : price && !planChange
      ? `${formatMoney(price.amount, price.currency)} on ${formatUtcDay(subscription.periodEnd)}`
      : undefined;
  return (
    <>
      <p>
        <strong>{subscription.plans.join(", ")}</strong>
        {next && <span className="muted"> · {next}</span>}
      </p>
      {Object.entries(usage.meters)
        .slice(0, shownMeters)
        .map(([name, { label, used, max }]) => (
          <Meter key={name} label={label ?? name} used={used} max={max} isBilled={isPricedBeyond(plans, name)} />
        ))}
      <p className="small muted">
        Resets <RelativeTime time={subscription.periodEnd} />
      </p>
    </>
  );
}

function describeKeys(keys: { isEnabled: boolean; lastUsedOn: string | null }[]): ReactNode {
  const used = keys.flatMap(({ lastUsedOn }) => lastUsedOn ?? []).toSorted();
  const last = used.at(-1);
  return (
    <>
      {plural(keys.length, "key")},{" "}
      {last ? (
        <>
          last used <RelativeTime time={last} />
        </>
      ) : (
        "none used yet"
      )}
    </>
  );
}

function Failure(request: PortalRequest) {
  const { status, method, path, time } = request;
  return (
    <div>
      <div className="row">
        <Status status={status} />
        <span className="mono truncate">
          {method} {path}
        </span>
        <span className="small muted">
          <RelativeTime time={time} />
        </span>
      </div>
      <Reason request={request} />
    </div>
  );
}
