import { Link } from "@tanstack/react-router";
import type { Plan } from "../../../../client/index.ts";
import { Notice, Skeleton } from "../../../components/notice.tsx";
import { formatNumber, plural } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";

interface Props {
  bucket: string;
  /** The stored plan. */
  plan: Plan;
  /** The limits in the form; undefined if one is not a number. */
  limits: Record<string, number | undefined>;
}

/** The subscriptions with the largest share of their quota used; all others are further from any limit. */
const looked = 1000;
const named = 5;

/** Subscriptions affected by the new limits, and those that will have no quota left. */
export function Affected({ bucket, plan, limits }: Props) {
  const holders = useRead(["plan-holders", bucket, plan.id], async (api, { signal }) => {
    const [subscriptions, usage] = await Promise.all([
      api.subscriptions(bucket).list({ planId: plan.id, limit: looked, signal }).page(),
      api.metering.usage(bucket, { limit: looked, signal }).page(),
    ]);
    const ids = new Set(subscriptions.data.map(({ id }) => id));
    return { total: subscriptions.total, usage: usage.data.filter(({ subscriptionId }) => ids.has(subscriptionId)) };
  });
  if (holders.error) return null;
  if (!holders.data)
    return (
      <p aria-busy="true">
        <Skeleton width={260} />
      </p>
    );
  const { total, usage } = holders.data;
  if (total === 0) return <Notice>It has no subscribers: the change affects no consumer.</Notice>;
  const over = usage.flatMap(({ subscriptionId, customerKey, meters }) => {
    const exceeded = Object.entries(meters).flatMap(([name, { used, max, label }]) => {
      const limit = limitAfter(plan, limits, name, max);
      return limit !== undefined && limit < max && used >= limit && used > 0
        ? [`${formatNumber(used)} of ${formatNumber(limit)} ${label ?? name}`]
        : [];
    });
    return exceeded.length > 0 ? [{ subscriptionId, customerKey, text: exceeded.join(", ") }] : [];
  });
  return (
    <Notice kind={over.length > 0 ? "warning" : "info"}>
      <p>
        {plural(total, "subscription is", "subscriptions are")} on this plan. New limits count immediately.{" "}
        {over.length > 0 &&
          `${formatNumber(over.length)} of them ${over.length === 1 ? "has" : "have"} nothing left then, and ${over.length === 1 ? "is" : "are"} rejected until the next period:`}
      </p>
      {over.length > 0 && (
        <ul>
          {over.slice(0, named).map(({ subscriptionId, customerKey, text }) => (
            <li key={subscriptionId}>
              <Link to="/subscriptions" search={{ bucket, subscription: subscriptionId }}>
                {customerKey}
              </Link>{" "}
              has used {text}
            </li>
          ))}
          {over.length > named && <li>and {formatNumber(over.length - named)} more</li>}
        </ul>
      )}
    </Notice>
  );
}

/** A subscription's limit is the sum over its plans, so the other plans' part of it stays. */
function limitAfter(plan: Plan, limits: Props["limits"], meter: string, max: number): number | undefined {
  const before = Object.hasOwn(plan.meters, meter) ? plan.meters[meter]!.max : 0;
  const isNamed = Object.hasOwn(limits, meter);
  const after = isNamed ? limits[meter] : 0;
  return after === undefined || (before === 0 && !isNamed) ? undefined : Math.max(max - before + after, 0);
}
