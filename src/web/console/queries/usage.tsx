import { keepPreviousData } from "@tanstack/react-query";
import type { Customer, Plan, UsageShare } from "../../../client/index.ts";
import { meterTone } from "../../components/number.tsx";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { useRead } from "./session.tsx";

/** With more metering buckets, only the oldest are looked at. */
const maxBuckets = 10;

interface CustomerUsage extends UsageShare {
  plans: Plan[];
}

/** The active subscriptions of customers with what they used, by customer, in all metering buckets. */
export function useCustomerUsage(customers: string[] | undefined) {
  return useRead(
    ["customer-usage", customers],
    async (api, { signal }) => {
      const buckets = await api.metering.list({ limit: maxBuckets, signal }).page();
      const found = await Promise.all(
        buckets.data.map(async ({ id }) => {
          const [usage, plans] = await Promise.all([
            api.metering.usage(id, { customerKeys: customers!, limit: 1000, signal }).page(),
            api.plans(id).list({ limit: 1000, signal }).page(),
          ]);
          return usage.data.map((each) => ({
            ...each,
            plans: plans.data.filter(({ id }) => each.planIds.includes(id)),
          }));
        }),
      );
      return Map.groupBy<string, CustomerUsage>(found.flat(), ({ customerKey }) => customerKey);
    },
    {
      enabled: customers !== undefined && customers.length > 0,
      placeholderData: keepPreviousData,
    },
  );
}

/** Whether one of the plans bills the usage of a meter beyond its maximum. */
export const isBilledBy = (plans: Plan[] | undefined, meter: string): boolean =>
  plans?.some(({ rates }) => rates?.[meter]?.overage === "bill") ?? false;

/** Whether usage beyond the maximum is rejected. `hasMoney`: prepaid usage is paid from a balance. */
export const isRejectedBeyond = (plans: Plan[], meter: string, hasMoney: boolean): boolean =>
  !plans.some(({ rates }) => rates?.[meter]?.overage === "bill" || (hasMoney && rates?.[meter]?.overage === "prepaid"));

interface UsageBarProps {
  usage: Pick<UsageShare, "share" | "meters" | "planIds"> | undefined;
  /** Those of the subscription, or all. */
  plans: Plan[] | undefined;
}

/** The largest used share of a quota as a bar, with the amounts on hover. */
export function UsageBar({ usage, plans }: UsageBarProps) {
  if (!usage) return null;
  const { share, meters, planIds } = usage;
  const own = plans?.filter(({ id }) => planIds.includes(id));
  const full = Object.entries(meters).filter(([, meter]) => meter.share >= 0.8);
  const tone = meterTone(share, full.length > 0 && full.every(([name]) => isBilledBy(own, name)));
  const lines = Object.entries(meters).map(
    ([name, { label, used, max }]) => `${formatNumber(used)} of ${formatNumber(max)} ${label ?? name}`,
  );
  return (
    <span className="usage-bar" title={lines.join("\n")}>
      <span className="meter-bar" data-tone={tone} aria-hidden>
        <i style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      <span className="number">{formatPercent(Math.round(share * 100) / 100)}</span>
    </span>
  );
}

/** The payers with these keys, in all metering buckets, by key. */
export function usePayers(keys: string[] | undefined) {
  return useRead(
    ["customers", "payers", keys],
    async (api, { signal }) => {
      const buckets = await api.metering.list({ limit: maxBuckets, signal }).page();
      const found = await Promise.all(
        buckets.data.map(({ id }) => api.customers(id).list({ customerKeys: keys!, limit: 1000, signal }).page()),
      );
      return Map.groupBy<string, Customer>(
        found.flatMap(({ data }) => data),
        ({ customerKey }) => customerKey,
      );
    },
    {
      enabled: keys !== undefined && keys.length > 0,
      placeholderData: keepPreviousData,
    },
  );
}
