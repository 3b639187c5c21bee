import { invalid } from "../../../../core/problems/problem.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { sortInSlices } from "../../../../lib/tasks/sort-in-slices.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import { rejectLargeSize } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { KnownPlans } from "../../subscriptions/allowance.ts";
import type { SubscriptionStatus } from "../../subscriptions/schema.ts";
import { ranksOf, ranksOfBucket, type UsageRank, usableSubscriptions } from "./rank-usage.ts";
import { countFrom, findRanking, type Ranking, rankedSeqs } from "./ranking-store.ts";
import { type MeterUsage, shareOf, usageOf } from "./usage.ts";

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

interface ShareFilter {
  /** Only subscriptions with at least this share. */
  near?: number | undefined;
  /** Only this meter. */
  meter?: string | undefined;
  /** Only subscriptions of these customers. */
  customerKeys?: string[] | undefined;
}

/** A page of the list. */
interface UsagePage {
  data: UsageShare[];
  total: number;
  /** The number of those that have used all of a quota, or more. */
  used: number;
  /** When the order was computed, if that was before the request. */
  rankedOn?: number | undefined;
}

/**
 * Lists the subscriptions that allow usage now, those with the largest share of their quota first. A large bucket has a
 * stored ranking, see rank-usage.ts: its order and totals are those of an earlier time, the shares are current. With
 * `rankedOn` of an earlier page, the order is that of its ranking if that is still kept.
 */
export async function listUsage(
  reads: Reads,
  bucket: MeteringBucket,
  filter: ShareFilter,
  now: number,
  paging: Paging,
  rankedOn?: number,
): Promise<UsagePage> {
  const isWhole = filter.meter === undefined && filter.customerKeys === undefined;
  const ranking = isWhole ? await findRanking(reads, bucket.seq, rankedOn) : undefined;
  return ranking ? listRanked(reads, ranking, filter, now, paging) : listAll(reads, bucket, filter, now, paging);
}

/** Ranks all subscriptions of a bucket, or those of some customers. */
async function listAll(
  reads: Reads,
  bucket: MeteringBucket,
  filter: ShareFilter,
  now: number,
  { limit, offset }: Paging,
): Promise<UsagePage> {
  // Periods differ for each subscription, so the database cannot compare shares. Only the shares of all are kept in
  // memory.
  const found: UsageRank[] = [];
  for await (const rank of ranksOfBucket(reads, bucket, filter, now)) if (isNear(rank, filter)) found.push(rank);
  const ranks = await sortInSlices(found, largestFirst);
  const used = found.reduce((sum, { share }) => (share >= 1 ? sum + 1 : sum), 0);
  const data = await pageOf(reads, ranks.slice(offset, offset + limit), filter, now);
  return { data, total: found.length, used };
}

/** The maximum number of subscriptions of a ranking that are read for a page, because some may be gone or renewed. */
const maxRead = 2_000;

async function listRanked(
  reads: Reads,
  ranking: Ranking,
  filter: ShareFilter,
  now: number,
  { limit, offset }: Paging,
): Promise<UsagePage> {
  const total = filter.near === undefined ? ranking.size : await countFrom(reads, ranking, filter.near);
  const page: UsageRank[] = [];
  const plans = new KnownPlans();
  const last = Math.min(total, offset + maxRead);
  for (let from = offset; from < last && page.length < limit; ) {
    const to = Math.min(last, from + limit - page.length);
    const seqs = await rankedSeqs(reads, ranking, from, to);
    for await (const rank of ranksOf(reads, plans, seqs, undefined, now)) if (isNear(rank, filter)) page.push(rank);
    from = to;
  }
  const data = await pageOf(reads, page.sort(largestFirst), filter, now);
  return { data, total, used: await countFrom(reads, ranking, 1), rankedOn: ranking.rankedOn };
}

function isNear({ share }: UsageRank, { near }: ShareFilter): boolean {
  return near === undefined || share >= near;
}

function largestFirst(one: UsageRank, other: UsageRank): number {
  return other.share - one.share || one.seq - other.seq;
}

/** The maximum number of meters in one page. */
const maxMeters = 50_000;

/** Returns them in the given order, without those that were deleted or became invalid in the meantime. */
async function pageOf(reads: Reads, page: UsageRank[], filter: ShareFilter, now: number): Promise<UsageShare[]> {
  if (page.reduce((sum, { meters }) => sum + meters, 0) > maxMeters)
    throw invalid("?limit", `would return more than ${maxMeters} meters: lower it, or choose one meter`);
  rejectLargeSize(page.reduce((sum, { bytes }) => sum + bytes, 0));
  const seqs = page.map(({ seq }) => seq);
  const shares = new Map<number, UsageShare>();
  for await (const each of sharesOf(reads, seqs, filter, now)) shares.set(each.seq, each);
  return seqs.flatMap((seq) => shares.get(seq) ?? []);
}

async function* sharesOf(
  reads: Reads,
  seqs: number[],
  { near, meter }: ShareFilter,
  now: number,
): AsyncGenerator<UsageShare> {
  for await (const each of usableSubscriptions(reads, new KnownPlans(), seqs, now)) {
    const { row, plans, status, period, allowed, used } = each;
    const { meters: usage } = usageOf(allowed, period, used);
    const looked = Object.entries(usage).filter(([name]) => meter === undefined || name === meter);
    if (looked.length === 0) continue;
    const meters = Object.fromEntries(looked.map(([name, one]) => [name, { ...one, share: shareOf(one) }]));
    const share = Math.max(...Object.values(meters).map((one) => one.share));
    if (near !== undefined && share < near) continue;
    const planIds = plans.map(({ id }) => id);
    const { seq, id: subscriptionId, customer_key: customerKey } = row;
    yield { seq, subscriptionId, customerKey, planIds, status, period, share, meters };
  }
}
