import { type Amount, amountOf, shareOf } from "../../../lib/amount.ts";
import { periodAt, type Renewal } from "../../../lib/time/calendar.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { Meters, Plan } from "../plans/plans.ts";
import { pricedRates } from "../plans/prices.ts";
import type { SubscriptionRow } from "./subscription-store.ts";

/** The maximum of a meter that a subscription has in a period. */
export interface Allowance {
  label: string | undefined;
  max: Amount;
  /** Whether usage beyond the maximum has a price instead of being rejected, unless in a trial. */
  isPriced: boolean;
  /** Whether money grants must cover the price. */
  isPrepaid: boolean;
}

export type PlanLimits = Pick<Plan, "meters" | "rates" | "price">;
export type ProratedRow = Pick<SubscriptionRow, "allowance_period" | "allowance">;

/** If several plans have a meter, their maximums are added. */
export function allowances(row: ProratedRow, plans: PlanLimits[], periodStart: number): Map<string, Allowance> {
  return withProrated(metersOf(plans), row, periodStart);
}

/** Replaces maximums by the prorated ones of the period, if there are any. */
export function withProrated<Meter extends { max: Amount }>(
  meters: Map<string, Meter>,
  row: ProratedRow,
  periodStart: number,
): Map<string, Meter> {
  if (row.allowance_period !== periodStart || row.allowance === null) return meters;
  // A prorated change of plans applies to the rest of the period in which it was made.
  const prorated = JSON.parse(row.allowance) as Record<string, string>;
  for (const [meter, max] of Object.entries(prorated)) {
    const known = meters.get(meter);
    if (known) known.max = BigInt(max);
  }
  return meters;
}

function metersOf(plans: PlanLimits[]): Map<string, Allowance> {
  const meters = new Map<string, Allowance>();
  for (const plan of plans) addPlan(meters, plan);
  return meters;
}

export function addPlan(meters: Map<string, Allowance>, plan: PlanLimits): void {
  for (const [meter, { label, max }] of Object.entries(JSON.parse(plan.meters) as Meters)) {
    const known = meters.get(meter);
    if (known) {
      known.max += amountOf(max)!;
      known.label ??= label;
    } else meters.set(meter, { label, max: amountOf(max)!, isPriced: false, isPrepaid: false });
  }
  for (const [meter, { overage }] of pricedRates(plan))
    Object.assign(meters.get(meter)!, { isPriced: true, isPrepaid: overage === "prepaid" });
}

/** Reads the usage of a subscription in a period, by meter. Another area counts it. */
export type UsageReader = (
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
) => Promise<ReadonlyMap<string, Amount>>;

export interface Proration {
  /** The share of the new maximum, from 0 to 1. */
  share: number;
  usedIn: UsageReader;
}

/** The rest of this period allows the usage so far and a share of the new plans' maximum. */
export async function prorated(
  reads: Reads,
  subscription: { row: SubscriptionRow },
  plans: Plan[],
  { share, usedIn }: Proration,
  now: number,
): Promise<{ allowance_period: number; allowance: string }> {
  const { row } = subscription;
  const { start } = periodAt(row.quota_reset_anchor, row.renewal_strategy as Renewal, now);
  const used = await usedIn(reads, row.seq, start);
  const allowance = Object.fromEntries(
    Array.from(metersOf(plans), ([meter, { max }]) => [meter, String((used.get(meter) ?? 0n) + shareOf(max, share))]),
  );
  return { allowance_period: start, allowance: JSON.stringify(allowance) };
}
