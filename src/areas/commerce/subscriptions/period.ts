import { type Period, periodAt, type Renewal } from "../../../lib/time/calendar.ts";
import type { SubscriptionSummary } from "./subscription-store.ts";

type Anchored = Pick<SubscriptionSummary, "quota_reset_anchor" | "renewal_strategy">;

const lastPeriods = new WeakMap<Anchored, Period>();

/**
 * Most events are in the same period as the previous one, and computing it again costs as much as the rest of an event.
 */
export function periodOf({ row }: { row: Anchored }, at: number): Period {
  const last = lastPeriods.get(row);
  if (last && last.start <= at && at < last.end) return last;
  const period = periodAt(row.quota_reset_anchor, row.renewal_strategy as Renewal, at);
  lastPeriods.set(row, period);
  return period;
}
