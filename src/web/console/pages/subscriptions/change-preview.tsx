import { keepPreviousData } from "@tanstack/react-query";
import type { Plan, PlanChangePreview } from "../../../../client/index.ts";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { formatNumber, formatUtcDay } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";

interface Props {
  bucket: string;
  subscriptionId: string;
  planExternalIds: string[];
  prorate: number | undefined;
  plans: Plan[];
  /** The change is at the end of the period: this one keeps its limits. */
  isLater: boolean;
}

/** The effect of the change on this and later periods, computed by the server. */
export function ChangePreview({ bucket, subscriptionId, planExternalIds, prorate, plans, isLater }: Props) {
  const change = { planExternalIds, ...(prorate === undefined ? {} : { prorate }) };
  const preview = useRead(
    ["plan-change", bucket, subscriptionId, change],
    (api, { signal }) => api.subscriptions(bucket).preview(subscriptionId, change, { signal }),
    {
      placeholderData: keepPreviousData,
      enabled: planExternalIds.length > 0 && !Number.isNaN(prorate),
    },
  );
  if (preview.error) return <ErrorNotice error={preview.error} />;
  if (!preview.data) return <SkeletonLines count={2} />;
  const { periodEnd, before, after, next } = preview.data;
  const rates = plans.filter((plan) => planExternalIds.includes(plan.planExternalId)).map((plan) => plan.rates ?? {});
  // What is used beyond a limit is billed, or paid in advance, if a plan has a rate for it: it is not rejected here.
  const isBilled = (meter: string) => rates.some((rate) => (rate[meter]?.overage ?? "block") !== "block");
  const over = Object.entries(after).filter(
    ([name, { used, available }]) => available === 0 && used > 0 && !isBilled(name),
  );
  return (
    <div className="stack stack-tight">
      <table className="table">
        <caption className="visually-hidden">Effect of the change</caption>
        <thead>
          <tr>
            <th scope="col">Meter</th>
            <th scope="col" data-align="end">
              Used
            </th>
            <th scope="col" data-align="end">
              Limit now
            </th>
            {!isLater && (
              <th scope="col" data-align="end">
                Then, until {formatUtcDay(periodEnd)}
              </th>
            )}
            <th scope="col" data-align="end">
              Each period after
            </th>
          </tr>
        </thead>
        <tbody>
          {metersOf(preview.data).map((name) => (
            <tr key={name}>
              <td>{after[name]?.label ?? before[name]?.label ?? name}</td>
              <td data-align="end">{formatNumber(before[name]?.used ?? after[name]?.used ?? 0)}</td>
              <td data-align="end">{limit(before[name])}</td>
              {!isLater && <td data-align="end">{next[name] ? limit(after[name]) : "None"}</td>}
              <td data-align="end">{limit(next[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!isLater && over.length > 0 && (
        <Notice kind="warning">
          Nothing is left of {over.map(([name, { label }]) => label ?? name).join(" and ")} after the change: requests
          that count it are rejected until {formatUtcDay(periodEnd)}.
        </Notice>
      )}
    </div>
  );
}

const limit = (meter: { max: number } | undefined): string => (meter ? formatNumber(meter.max) : "None");

const metersOf = ({ before, after, next }: PlanChangePreview): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(next)]),
];
