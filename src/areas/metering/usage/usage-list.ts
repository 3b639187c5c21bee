import { invalid } from "../../../core/problems/problem.ts";
import { countersOfPeriods } from "../../../counting/counters/counter-store.ts";
import type { Paging } from "../../../lib/paging.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import { rejectLargeSize } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { type Allowance, allowances, readAllowances } from "../../subscriptions/allowance.ts";
import type { SubscriptionStatus } from "../../subscriptions/schema.ts";
import { allowsUsage, statusAt } from "../../subscriptions/status.ts";
import {
  allowanceSizes,
  planSummaries,
  type SubscriptionRow,
  subscriptionRowsWithSeqs,
  subscriptionSeqsAfter,
} from "../../subscriptions/subscription-rows.ts";
import { periodOf, subscriptionsWithSeqs } from "../../subscriptions/subscriptions.ts";
import { type MeterUsage, shareOf, usageOf } from "./usage.ts";
import { type UsageRank, UsageRanks } from "./usage-ranks.ts";

export interface UsageShare {
  seq: number;
  subscriptionId: string;
  customerKey: string;
  planIds: string[];
  status: SubscriptionStatus;
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

/**
 * Lists the subscriptions that allow usage now, those with the largest share of their quota first. `used` is the number
 * of those that have used all of a quota, or more.
 */
export async function listUsage(
  reads: Reads,
  bucket: MeteringBucket,
  filter: ShareFilter,
  now: number,
  { limit, offset }: Paging,
): Promise<{ data: UsageShare[]; total: number; used: number }> {
  // Periods differ for each subscription, so the database cannot compare shares. Only the shares of all are kept in
  // memory.
  const found: UsageRank[] = [];
  const ranks = new UsageRanks(reads, now, filter.meter);
  for (let after = 0; ; ) {
    const seqs = await subscriptionSeqsAfter(reads, bucket.seq, after, pieceSize, filter.customerKeys);
    if (seqs.length === 0) break;
    for (const { some } of together(await allowanceSizes(reads, seqs)))
      for await (const rank of ranks.of(some))
        if (filter.near === undefined || rank.share >= filter.near) found.push(rank);
    after = seqs.at(-1)!;
    await yieldToEventLoop();
  }
  found.sort((one, other) => other.share - one.share || one.seq - other.seq);
  const page = found.slice(offset, offset + limit);
  if (page.reduce((sum, { meters }) => sum + meters, 0) > maxMeters)
    throw invalid("?limit", `would return more than ${maxMeters} meters: lower it, or choose one meter`);
  rejectLargeSize(page.reduce((sum, { bytes }) => sum + bytes, 0));
  const seqs = page.map(({ seq }) => seq);
  const used = found.filter(({ share }) => share >= 1).length;
  return { data: await pageOf(reads, seqs, filter, now), total: found.length, used };
}

/** The maximum number of meters in one page. */
const maxMeters = 50_000;

/** Returns them in the given order, without those that were deleted or became invalid in the meantime. */
async function pageOf(reads: Reads, seqs: number[], filter: ShareFilter, now: number): Promise<UsageShare[]> {
  const shares = new Map<number, UsageShare>();
  for await (const each of sharesOf(reads, seqs, filter, now)) shares.set(each.seq, each);
  return seqs.flatMap((seq) => shares.get(seq) ?? []);
}

/** The size of meters to process at once. A meter takes at least 10 bytes, so they are at most 5,000. */
const bytesAtOnce = 50_000;

async function* sharesOf(reads: Reads, seqs: number[], filter: ShareFilter, now: number): AsyncGenerator<UsageShare> {
  if (seqs.length === 0) return;
  const slice = new Slice();
  for (const { some, isLarge } of together(await allowanceSizes(reads, seqs))) {
    yield* isLarge ? await largeShares(reads, some, filter, now) : await sharesTogether(reads, some, filter, now);
    if (slice.isOver) await slice.next();
  }
}

/** A large subscription is alone. */
function* together(sizes: { seq: number; bytes: number }[]): Generator<{ some: number[]; isLarge: boolean }> {
  let some: number[] = [];
  let sum = 0;
  for (const { seq, bytes } of sizes) {
    if (bytes > bytesAtOnce) {
      yield { some: [seq], isLarge: true };
      continue;
    }
    some.push(seq);
    sum += bytes;
    if (sum < bytesAtOnce) continue;
    yield { some, isLarge: false };
    some = [];
    sum = 0;
  }
  if (some.length > 0) yield { some, isLarge: false };
}

async function sharesTogether(reads: Reads, seqs: number[], filter: ShareFilter, now: number): Promise<UsageShare[]> {
  const subscriptions = await subscriptionsWithSeqs(reads, seqs);
  return sharesWith(reads, subscriptions, ({ row, plans }, start) => allowances(row, plans, start), filter, now);
}

/** Reads one plan after the other: together, the meters of 20 plans can be 15 MB. */
async function largeShares(reads: Reads, seqs: number[], filter: ShareFilter, now: number): Promise<UsageShare[]> {
  const rows = await subscriptionRowsWithSeqs(reads, seqs);
  const plans = await planSummaries(reads, seqs);
  const subscriptions = rows.map((row) => ({ row, plans: plans.get(row.seq)! }));
  const allowancesOf = async ({ row }: { row: SubscriptionRow }, start: number) =>
    (await readAllowances(reads, row, start)).allowed;
  return sharesWith(reads, subscriptions, allowancesOf, filter, now);
}

async function sharesWith<Plan extends PlanSummary>(
  reads: Reads,
  subscriptions: { row: SubscriptionRow; plans: Plan[] }[],
  allowancesOf: (
    subscription: { row: SubscriptionRow; plans: Plan[] },
    periodStart: number,
  ) => Map<string, Allowance> | Promise<Map<string, Allowance>>,
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
  const shares: UsageShare[] = [];
  for (const { subscription, status, period } of good) {
    const { row, plans } = subscription;
    const allowed = await allowancesOf(subscription, period.start);
    const { meters: usage } = await usageOf(allowed, period, used.get(row.seq) ?? new Map());
    const looked = Object.entries(usage).filter(([name]) => meter === undefined || name === meter);
    if (looked.length === 0) continue;
    const meters = Object.fromEntries(looked.map(([name, each]) => [name, { ...each, share: shareOf(each) }]));
    const share = Math.max(...Object.values(meters).map((each) => each.share));
    if (near !== undefined && share < near) continue;
    const planIds = plans.map(({ id }) => id);
    const { seq, id: subscriptionId, customer_key: customerKey } = row;
    shares.push({ seq, subscriptionId, customerKey, planIds, status, period, share, meters });
  }
  return shares;
}
