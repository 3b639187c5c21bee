import { Link } from "@tanstack/react-router";
import type { Decision } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { NotLoaded } from "../../../components/notice.tsx";
import { formatNumber, plural } from "../../../lib/format.ts";
import { ranges, timesOf } from "../../queries/range.ts";
import { useRead } from "../../queries/session.tsx";
import { TopConsumers } from "../home/top.tsx";
import { type DeployedRoute, useRoutes } from "./deployed-routes.ts";

type Policy = DeployedRoute["policies"][number];

export const isObserving = ({ mode }: Policy): boolean => mode === "observe";

/** The policies of a deployment that observe, and what each would have rejected. Nothing if there are none. */
export function ObservedPolicies({ deployment }: { deployment: string }) {
  const routes = useRoutes(deployment);
  const observing = (routes.data?.data ?? []).flatMap(({ policies }) => policies.filter(isObserving));
  const policies = [...new Map(observing.map((policy) => [policy.name, policy])).values()];
  return policies.map((policy) => (
    <section className="card stack stack-tight" key={policy.name} aria-label={`${policy.name}, in observe`}>
      <h3 className="card-title">
        {policy.name}
        <ModeBadge policy={policy} />
      </h3>
      <ObservedPolicy deployment={deployment} name={policy.name} />
    </section>
  ));
}

export function ModeBadge({ policy }: { policy: Policy }) {
  return isObserving(policy) && <Badge tone="amber">Observe</Badge>;
}

/** What a policy in `observe` would have rejected in a day: how many requests, of which consumers, with which code, and how to enforce it. */
export function ObservedPolicy({ deployment, name }: { deployment: string; name: string }) {
  const observed = useRead(
    ["analytics", "observed", deployment, name],
    async (api, { signal }) => {
      const range = { from: timesOf(ranges.day!).from, step: ranges.day!.step, policy: name, signal };
      const [policies, consumers, requests] = await Promise.all([
        api.analytics.ofDeployment(deployment, { ...range, by: "policy" }),
        api.analytics.ofDeployment(deployment, { ...range, by: "consumer", limit: 100 }),
        api.requests.list({ deployment, observed: name, from: range.from, limit: 100, signal }),
      ]);
      return { totals: policies.series[0]?.totals, consumers: consumers.series, requests: requests.data };
    },
    {
      refetchInterval: ranges.day!.refetchMs,
    },
  );
  if (observed.error || !observed.data) return <NotLoaded of={observed} lines={2} />;
  const { totals = { requests: 0, observed: 0 }, requests } = observed.data;
  const consumers = observed.data.consumers.filter((each) => each.totals.observed > 0);
  const codes = new Set(requests.flatMap(({ decisions }) => decisions.flatMap((each) => codeBy(name, each))));
  const isMore = consumers.some(({ isOther }) => isOther);
  return (
    <>
      <p>
        Would have rejected {formatNumber(totals.observed)} of {plural(totals.requests, "request")} of{" "}
        {isMore ? "more than " : ""}
        {plural(consumers.filter(({ key, isOther }) => key && !isOther).length, "consumer")} in 24 hours
        {codes.size > 0 && (
          <>
            , with{" "}
            {[...codes].map((code) => (
              <code key={code}>{code}</code>
            ))}
          </>
        )}
        .
      </p>
      {consumers.length > 0 && (
        <TopConsumers
          title="Would have been rejected"
          series={consumers
            .map((each) => ({ ...each, totals: { requests: each.totals.observed } }))
            .sort((one, other) => other.totals.requests - one.totals.requests)}
        />
      )}
      <p className="small muted">
        To enforce it, remove <code>"mode": "observe"</code> from <code>{name}</code> in <code>tollgate.json</code> and
        deploy.{" "}
        <Link to="/deployments/$name" params={{ name: deployment }} search={{ tab: "requests", observed: name }}>
          Show the requests
        </Link>
      </p>
    </>
  );
}

const codeBy = (policy: string, decision: Decision): string[] =>
  decision.policy === policy && decision.code !== undefined ? [decision.code] : [];
