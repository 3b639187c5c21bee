import { invalid } from "../../../../core/problems/problem.ts";
import { firstUsedPeriod, usedIn } from "../../../../counting/counters/counter-store.ts";
import { type Amount, numberOf } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { Allowance } from "../../subscriptions/allowance.ts";
import { allowancesIn, allowancesSince } from "../../subscriptions/allowance-history.ts";
import { periodOf } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { creditsAfter, type MeterCredits } from "../spending-limits.ts";

export { usedIn } from "../../../../counting/counters/counter-store.ts";
export { type ArrivedUsage, arrivalsIn, recordArrivals } from "../counters/arrival-store.ts";

export interface MeterUsage {
  label: string | undefined;
  used: number;
  max: number;
  available: number;
  /** What grants allow beyond the maximum. Undefined without grants of the meter. */
  credits?: number;
}

export interface Usage extends Period {
  meters: Record<string, MeterUsage>;
}

export async function usageAt(
  reads: Reads,
  subscription: Subscription,
  at: number,
  credits?: ReadonlyMap<string, MeterCredits>,
): Promise<Usage> {
  const period = periodOf(subscription, at);
  const allowed = await allowancesIn(reads, subscription, period);
  return usageOf(allowed, period, await usedIn(reads, subscription.row.seq, period.start), credits);
}

/**
 * Returns one usage for each period between two times, oldest first, including periods without usage, but none before
 * the subscription's first period or first usage.
 */
export async function usageHistory(
  reads: Reads,
  subscription: Subscription,
  from: number,
  to: number,
  max: number,
): Promise<Usage[]> {
  const periods: Period[] = [];
  const { seq, created_on } = subscription.row;
  const first = Math.min(created_on, (await firstUsedPeriod(reads, seq)) ?? created_on);
  for (let at = Math.max(from, periodOf(subscription, first).start); at < to && periods.length < max; ) {
    const period = periodOf(subscription, at);
    periods.push(period);
    at = period.end;
  }
  if (periods.length === 0) return [];
  const usages: Usage[] = [];
  const slice = new Slice();
  let meters = 0;
  const allowed = await allowancesSince(reads, subscription, periods[0]!);
  for (const period of periods) {
    const usage = usageOf(await allowed(period), period, await usedIn(reads, seq, period.start));
    meters += Object.keys(usage.meters).length;
    if (meters > maxMeters)
      throw invalid("?from", `takes more than ${maxMeters} meters of all periods together: choose a shorter range`);
    usages.push(usage);
    if (slice.isOver) await slice.next();
  }
  return usages;
}

/** The maximum number of meters in all periods of a history together. */
const maxMeters = 50_000;

/** Meters of the plans, and used meters that no plan has any more. */
export function usageOf(
  allowed: ReadonlyMap<string, Allowance>,
  period: Period,
  used: ReadonlyMap<string, bigint>,
  credits?: ReadonlyMap<string, MeterCredits>,
): Usage {
  const meters: Record<string, MeterUsage> = {};
  for (const [meter, allowance] of allowed) {
    const total = used.get(meter) ?? 0n;
    meters[meter] = { ...meterUsage(allowance, total), ...left(credits?.get(meter), total) };
  }
  for (const [meter, amount] of used) if (!allowed.has(meter)) meters[meter] = meterUsage(nothing, amount);
  return { ...period, meters };
}

const nothing: Allowance = { label: undefined, max: 0n, isPriced: false, isPrepaid: false };

function meterUsage({ label, max }: Allowance, used: Amount): MeterUsage {
  return { label, used: numberOf(used), max: numberOf(max), available: numberOf(max > used ? max - used : 0n) };
}

/** Any usage of a maximum of zero is all of it. */
export function shareOf({ used, max }: Pick<MeterUsage, "used" | "max">): number {
  if (max === 0) return used > 0 ? 1 : 0;
  return Number((used / max).toFixed(6));
}

/** Returns the usage after an addition. Integers are subtracted as numbers, which takes a tenth of the time. */
export function usageAfter(
  before: MeterUsage,
  { max: allowed }: Allowance,
  amount: Amount,
  credits?: MeterCredits,
): MeterUsage {
  const { label, max } = before;
  const used = numberOf(amount);
  const isWhole = Number.isSafeInteger(used) && Number.isSafeInteger(max);
  const available = isWhole ? Math.max(0, max - used) : numberOf(allowed > amount ? allowed - amount : 0n);
  return credits ? { label, used, max, available, ...left(credits, amount) } : { label, used, max, available };
}

function left(credits: MeterCredits | undefined, total: Amount) {
  return credits ? { credits: numberOf(creditsAfter(credits, total)) } : undefined;
}

/** Returns the usage of each meter in a period. */
export const usedInPeriod = usedIn;
