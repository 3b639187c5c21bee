import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Boxes, Plus } from "lucide-react";
import type { Plan } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { type Column, List } from "../../components/table.tsx";
import { DayTime } from "../../components/time.tsx";
import { formatFee, formatNumber, formatRate, plural } from "../../lib/format.ts";
import { MeteringBucketSelect, useChosenMeteringBucket } from "../queries/buckets.tsx";
import { usePaged } from "../queries/paged.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { PanelLink, usePanel } from "../shell/panel-links.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { PlanForm } from "./plans/plan-form.tsx";
import { PlanPanel } from "./plans/plan-panel.tsx";

const route = getRouteApi("/frame/plans");

export function PlansPage() {
  const { canBill, deniedBill } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/plans" });
  const { buckets, bucket } = useChosenMeteringBucket(search.bucket);
  const plans = usePaged(["plans", bucket], (api, paging) => api.plans(bucket!).list(paging).page(), {
    enabled: bucket !== undefined,
  });
  const panel = usePanel("plan");
  const columns: Column<Plan>[] = [
    {
      label: "Plan",
      render: ({ id, label }) => (
        <PanelLink panel="plan" id={id}>
          {label}
        </PanelLink>
      ),
    },
    {
      label: "Price",
      isLead: true,
      render: ({ price }) => (price ? formatFee(price) : <span className="muted">None</span>),
    },
    {
      label: "External id",
      isMinor: true,
      render: ({ planExternalId }) => <span className="mono">{planExternalId}</span>,
    },
    {
      label: "Limits per period",
      isText: "wide",
      render: (plan) => <Limits {...plan} />,
    },
    {
      label: "Trial",
      render: ({ trialDays }) => (trialDays ? plural(trialDays, "day") : <span className="muted">None</span>),
    },
    {
      label: "Subscribers",
      isNumber: true,
      render: ({ id, hasSubscriptions }) =>
        hasSubscriptions ? <Subscribers bucket={bucket!} plan={id} /> : <span className="muted">0</span>,
    },
    { label: "Created", isMinor: true, render: ({ createdOn }) => <DayTime time={createdOn} /> },
  ];
  const hasNoBucket = buckets.data?.length === 0;
  return (
    <>
      <PageHead
        title="Plans"
        actions={
          !hasNoBucket && (
            <>
              {bucket && <AsCommand call={(api) => api.plans(bucket).list().page()} />}
              <Link className="button" to="/plans/simulations" search={{ bucket }}>
                Simulations
              </Link>
              <Button
                icon={Plus}
                kind="primary"
                denied={deniedBill}
                onClick={() => navigate({ search: (old) => ({ ...old, new: true }) })}
              >
                New plan
              </Button>
            </>
          )
        }
      >
        <p>What subscribers pay, and their limits in each period, by meter.</p>
      </PageHead>
      <div className="filters">
        <MeteringBucketSelect value={bucket} onChange={(name) => navigate({ search: { bucket: name } })} />
      </div>
      {hasNoBucket ? (
        <NoPlans isFirst />
      ) : (
        <List
          caption="Plans"
          of={plans}
          {...plans.paging}
          error={buckets.error}
          columns={columns}
          panel={panel}
          empty={<NoPlans isFirst={false} />}
        />
      )}
      {search.new && canBill && (bucket || hasNoBucket) && (
        <PlanForm {...(bucket ? { bucket } : {})} onClose={() => navigate({ search: ({ new: _, ...old }) => old })} />
      )}
      {panel.shown && bucket && <PlanPanel bucket={bucket} id={panel.shown} onClose={panel.close} />}
    </>
  );
}

/** Active and trialing subscriptions; those that ended are not counted. */
function Subscribers({ bucket, plan }: { bucket: string; plan: string }) {
  const count = useRead(["subscriptions", bucket, "of-plan", plan], async (api, { signal }) => {
    const pages = (["active", "trialing"] as const).map((status) =>
      api.subscriptions(bucket).list({ planId: plan, status, limit: 1, signal }).page(),
    );
    return (await Promise.all(pages)).reduce((sum, { total }) => sum + total, 0);
  });
  if (count.data === undefined) return null;
  return (
    <Link className="number" to="/subscriptions" search={{ bucket, plan }}>
      {formatNumber(count.data)}
    </Link>
  );
}

function Limits({ meters, rates = {}, price }: Pick<Plan, "meters" | "rates" | "price">) {
  const beyond = (name: string) =>
    Object.hasOwn(rates, name) && rates[name]!.overage !== "block"
      ? `, ${formatRate(rates[name]!, price?.currency ?? "")}`
      : "";
  const text = Object.entries(meters)
    .map(([name, { label, max }]) => `${formatNumber(max)} ${label ?? name}${beyond(name)}`)
    .join(" · ");
  return (
    <span className="muted" title={text}>
      {text}
    </span>
  );
}

/** The first step of plans, subscriptions and billing. A metering bucket is created with the plan. */
export function NoPlans({ isFirst }: { isFirst: boolean }) {
  const { deniedBill, deniedEdit } = useSession();
  const navigate = useNavigate();
  return (
    <EmptyState
      icon={Boxes}
      title="No plans yet"
      guide="metering#plans"
      action={
        <Button
          kind="primary"
          denied={isFirst ? deniedEdit : deniedBill}
          onClick={() =>
            navigate({ to: "/plans", search: (old) => ({ ...(old.bucket ? { bucket: old.bucket } : {}), new: true }) })
          }
        >
          Create your first plan
        </Button>
      }
    >
      A plan sets what customers pay and how much of each meter (requests, tokens, gigabytes) they may use in a month or
      a year.
    </EmptyState>
  );
}
