import { invalid } from "../../../core/problems/problem.ts";
import type { Paging } from "../../../lib/paging.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../buckets.ts";
import { countersOfPeriods } from "../counters/usage-store.ts";
import { allowances } from "../plans/allowance.ts";
import type { Status } from "../schema.ts";
import { type SubscriptionRow, subscriptionsAfter, subscriptionsWithSeqs } from "../store.ts";
import { allowsUsage, statusAt } from "../subscriptions/status.ts";
import { periodOf, type Subscription, withPlansOfAll } from "../subscriptions/subscriptions.ts";
import { type MeterUsage, usageOf } from "./usage.ts";

export interface UsageShare {
  subscription: Subscription;
  status: Status;
  period: Period;
  /** The largest share of its meters. */
  share: number;
  meters: Record<string, MeterUsage & { share: number }>;
}

export interface ShareFilter {
  /** Only subscriptions with at least this share. */
  near?: number | undefined;
  /** Only this meter. */
  meter?: string | undefined;
  /** Only subscriptions of these customers. */
  customerKeys?: string[] | undefined;
}

/** Lists the subscriptions that allow usage now, those with the largest share of their quota first. */
export async function listUsage(
  reads: Reads,
  bucket: MeteringBucket,
  filter: ShareFilter,
  now: number,
  { limit, offset }: Paging,
): Promise<{ data: UsageShare[]; total: number }> {
  // Periods differ for each subscription, so the database cannot compare shares. Only the shares of all are kept in
  // memory.
  const found: { seq: number; share: number; meters: number }[] = [];
  for (let after = 0; ; ) {
    const rows = await subscriptionsAfter(reads, bucket.seq, after, pieceSize, filter.customerKeys);
    if (rows.length === 0) break;
    for await (const { subscription, share, meters } of sharesOf(reads, rows, filter, now))
      found.push({ seq: subscription.row.seq, share, meters: Object.keys(meters).length });
    after = rows.at(-1)!.seq;
    await yieldToEventLoop();
  }
  found.sort((one, other) => other.share - one.share || one.seq - other.seq);
  const page = found.slice(offset, offset + limit);
  if (page.reduce((sum, { meters }) => sum + meters, 0) > maxMeters)
    throw invalid("?limit", `would return more than ${maxMeters} meters: lower it, or choose one meter`);
  return { data: await pageOf(reads, page, filter, now), total: found.length };
}

/** The maximum of meters in one page. */
const maxMeters = 50_000;

/** Returns them in the given order, without those that were deleted or became invalid in the meantime. */
async function pageOf(reads: Reads, page: { seq: number }[], filter: ShareFilter, now: number): Promise<UsageShare[]> {
  const rows = await subscriptionsWithSeqs(
    reads,
    page.map(({ seq }) => seq),
  );
  const shares = new Map<number, UsageShare>();
  for await (const each of sharesOf(reads, rows, filter, now)) shares.set(each.subscription.row.seq, each);
  return page.flatMap(({ seq }) => shares.get(seq) ?? []);
}

/** The number of counters to read at once. */
const countersAtOnce = 5_000;

async function* sharesOf(
  reads: Reads,
  rows: SubscriptionRow[],
  filter: ShareFilter,
  now: number,
): AsyncGenerator<UsageShare> {
  const slice = new Slice();
  let some: Subscription[] = [];
  let meters = 0;
  for (const subscription of await withPlansOfAll(reads, rows)) {
    some.push(subscription);
    meters += subscription.plans.reduce((sum, plan) => sum + meterCount(plan.meters), 0);
    if (meters < countersAtOnce) continue;
    yield* await sharesTogether(reads, some, filter, now);
    some = [];
    meters = 0;
    if (slice.isOver) await slice.next();
  }
  if (some.length > 0) yield* await sharesTogether(reads, some, filter, now);
}

/** An upper bound of the plan's meters: each takes at least 10 characters of its JSON. */
function meterCount(meters: string): number {
  return Math.ceil(meters.length / 10);
}

async function sharesTogether(
  reads: Reads,
  subscriptions: Subscription[],
  { near, meter }: ShareFilter,
  now: number,
): Promise<UsageShare[]> {
  const good = subscriptions
    .map((subscription) => ({ subscription, status: statusAt(subscription.row, subscription.plans, now) }))
    .filter(({ status }) => allowsUsage(status))
    .map((each) => ({ ...each, period: periodOf(each.subscription, now) }));
  const used = await countersOfPeriods(
    reads,
    good.map(({ subscription, period }) => ({ subscriptionSeq: subscription.row.seq, periodStart: period.start })),
  );
  return good.flatMap(({ subscription, status, period }) => {
    const { row, plans } = subscription;
    const allowed = allowances(row, plans, period.start);
    const usage = usageOf(allowed, period, used.get(row.seq) ?? new Map()).meters;
    const looked = Object.entries(usage).filter(([name]) => meter === undefined || name === meter);
    if (looked.length === 0) return [];
    const meters = Object.fromEntries(looked.map(([name, each]) => [name, { ...each, share: shareOf(each) }]));
    const share = Math.max(...Object.values(meters).map((each) => each.share));
    return near === undefined || share >= near ? [{ subscription, status, period, share, meters }] : [];
  });
}

/** Any usage of a maximum of zero is all of it. */
function shareOf({ used, max }: MeterUsage): number {
  if (max === 0) return used > 0 ? 1 : 0;
  return Number((used / max).toFixed(6));
}
