import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { UsageShare } from "../../../client/index.ts";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { useSession } from "./session.tsx";

/** With more metering buckets, only the oldest are looked at. */
const maxBuckets = 10;

interface CustomerUsage extends UsageShare {
  /** The labels of its plans. */
  plans: string[];
}

/** The active subscriptions of customers with what they used, by customer, in all metering buckets. */
export function useCustomerUsage(customers: string[] | undefined) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["customer-usage", customers],
    queryFn: async ({ signal }) => {
      const buckets = await api.metering.list({ limit: maxBuckets, signal }).page();
      const found = await Promise.all(
        buckets.data.map(async ({ id }) => {
          const [usage, plans] = await Promise.all([
            api.metering.usage(id, { customerKeys: customers!, limit: 1000, signal }).page(),
            api.plans(id).list({ limit: 1000, signal }).page(),
          ]);
          const labels = new Map(plans.data.map((plan) => [plan.id, plan.label]));
          return usage.data.map((each) => ({ ...each, plans: each.planIds.map((plan) => labels.get(plan) ?? plan) }));
        }),
      );
      return Map.groupBy<string, CustomerUsage>(found.flat(), ({ customerKey }) => customerKey);
    },
    enabled: customers !== undefined && customers.length > 0,
    placeholderData: keepPreviousData,
  });
}

/** The largest used share of a quota as a bar, with the amounts on hover. */
export function UsageBar({ usage }: { usage: Pick<UsageShare, "share" | "meters"> | undefined }) {
  if (!usage) return null;
  const { share, meters } = usage;
  const tone = share >= 1 ? "red" : share >= 0.8 ? "amber" : "accent";
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
