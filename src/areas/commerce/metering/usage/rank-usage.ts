import { removedAccountSeq } from "../../../../core/database/removed-account.ts";
import { countersOfPeriods, periodKey } from "../../../../counting/counters/counter-store.ts";
import { type Amount, numberOf } from "../../../../lib/amount.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import { sortInSlices } from "../../../../lib/tasks/sort-in-slices.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { subscriptionList, timeIn } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { type AllowedMeters, allowedTogether, KnownPlans } from "../../subscriptions/allowance.ts";
import type { SubscriptionStatus } from "../../subscriptions/schema.ts";
import { allowsUsage, periodOf, statusAt } from "../../subscriptions/state.ts";
import {
  planSummaries,
  type SubscriptionRow,
  subscriptionRowsWithSeqs,
  subscriptionSeqsAfter,
} from "../../subscriptions/subscriptions.ts";
import * as store from "./ranking-store.ts";
import { shareOf } from "./usage.ts";

/** The position of a subscription in the list of usage, and the size of its part of a page. */
export interface UsageRank {
  seq: number;
  /** The largest share of its meters. */
  share: number;
  meters: number;
  /** The size of the names and labels of its meters. */
  bytes: number;
}

/** A subscription that allows usage now. */
interface UsableSubscription {
  row: SubscriptionRow;
  plans: PlanSummary[];
  status: SubscriptionStatus;
  period: Period;
  allowed: AllowedMeters;
  used: ReadonlyMap<string, Amount>;
}

/** Yields the ranks of the subscriptions of a bucket that allow usage now, or of some customers, in the order of creation. */
export async function* ranksOfBucket(
  reads: Reads,
  bucket: { seq: number },
  { meter, customerKeys }: { meter?: string | undefined; customerKeys?: string[] | undefined },
  now: number,
): AsyncGenerator<UsageRank> {
  const plans = new KnownPlans();
  for (let after = 0; ; ) {
    const seqs = await subscriptionSeqsAfter(reads, bucket.seq, after, pieceSize, customerKeys);
    if (seqs.length === 0) return;
    yield* ranksOf(reads, plans, seqs, meter, now);
    after = seqs.at(-1)!;
    await yieldToEventLoop();
  }
}

/** Yields the ranks of subscriptions that allow usage now and have the meter. */
export async function* ranksOf(
  reads: Reads,
  plans: KnownPlans,
  seqs: number[],
  meter: string | undefined,
  now: number,
): AsyncGenerator<UsageRank> {
  for await (const { row, allowed, used } of usableSubscriptions(reads, plans, seqs, now)) {
    const rank: UsageRank = { seq: row.seq, share: 0, meters: 0, bytes: 0 };
    const add = (name: string, max: Amount, label = "") => {
      if (meter !== undefined && name !== meter) return;
      const amount = used.get(name) ?? 0n;
      rank.meters += 1;
      rank.bytes += name.length + Buffer.byteLength(label);
      if (amount > 0n) rank.share = Math.max(rank.share, shareOf({ used: numberOf(amount), max: numberOf(max) }));
    };
    for (const [name, { max, label }] of allowed) add(name, max, label);
    for (const name of used.keys()) if (!allowed.has(name)) add(name, 0n);
    if (rank.meters > 0) yield rank;
  }
}

/** Yields those of some subscriptions that allow usage now, with their usage. */
export async function* usableSubscriptions(
  reads: Reads,
  knownPlans: KnownPlans,
  seqs: number[],
  now: number,
): AsyncGenerator<UsableSubscription> {
  const plansOf = await planSummaries(reads, seqs);
  const terms = await knownPlans.of(reads, [...plansOf.values()].flat());
  const usable = (await subscriptionRowsWithSeqs(reads, seqs)).flatMap((row) => {
    const plans = plansOf.get(row.seq)!;
    const status = statusAt(row, plans, now);
    if (!allowsUsage(status)) return [];
    const meters = plans.flatMap(({ seq }) => terms.get(seq)?.meters ?? []);
    return [{ row, plans, status, period: periodOf({ row }, now), meters }];
  });
  const slice = new Slice();
  for (const some of together(usable)) {
    const places = some.map(({ row, period }) => ({ subscriptionSeq: row.seq, periodStart: period.start }));
    const used = await countersOfPeriods(reads, places);
    for (const { meters, ...each } of some) {
      if (slice.isOver) await slice.next();
      const { row, period } = each;
      const allowed = allowedTogether(row, meters, period.start);
      yield { ...each, allowed, used: used.get(periodKey(row.seq, period.start)) ?? new Map() };
    }
  }
}

/** The number of meters whose usage is read at once. */
const metersAtOnce = 5_000;

function* together<Some extends { meters: AllowedMeters[] }>(subscriptions: Some[]): Generator<Some[]> {
  let some: Some[] = [];
  let count = 0;
  for (const each of subscriptions) {
    some.push(each);
    for (const { size } of each.meters) count += size;
    if (count < metersAtOnce) continue;
    yield some;
    some = [];
    count = 0;
  }
  if (some.length > 0) yield some;
}

/** Buckets with more subscriptions have a stored ranking. Others are ranked for each request, in less than 100 ms. */
const largeBucket = 2_000;
const bucketsAtOnce = 500;
const minimumPauseMilliseconds = 60_000;
/** A ranking may take a twentieth of the time. */
const pauseFactor = 20;
const leaseMilliseconds = 10 * 60_000;
const extendMilliseconds = 60_000;
const blocksAtOnce = 20;

interface Options {
  storage: Storage;
  clock: Clock;
  largerThan?: number;
  signal?: AbortSignal;
}

/**
 * Ranks the subscriptions of large buckets by the used share of their quotas. Measured with a million subscriptions: see
 * bench/benchmarks/search.ts. A lease makes one node do so.
 */
export async function rankUsage({ storage, clock, largerThan = largeBucket, signal }: Options): Promise<void> {
  for (let after = 0; !signal?.aborted; ) {
    const buckets = await store.bucketsAfter(storage.reads, after, bucketsAtOnce, subscriptionList, removedAccountSeq);
    for (const bucket of buckets) {
      if (signal?.aborted) return;
      if (bucket.subscriptions <= largerThan) {
        if (bucket.is_ranked === 1) await storage.write((transaction) => store.removeRanking(transaction, bucket.seq));
      } else if (isDue(bucket, clock.now())) await rankBucket({ storage, clock, signal }, bucket);
    }
    if (buckets.length < bucketsAtOnce) return;
    after = buckets.at(-1)!.seq;
  }
}

/** A test bucket is also due if its clock was moved. */
function isDue({ next_on, test_clock, bucket_clock }: store.RankedBucket, now: number): boolean {
  return next_on === null || next_on <= now || test_clock !== bucket_clock;
}

async function rankBucket(
  { storage, clock, signal }: { storage: Storage; clock: Clock; signal: AbortSignal | undefined },
  bucket: store.RankedBucket,
): Promise<void> {
  const began = performance.now();
  const now = clock.now();
  // Two rankings of a bucket differ in their time.
  const rankedOn = Math.max(now, (bucket.ranked_on ?? 0) + 1);
  const lease = new Lease(storage, clock, bucket.seq);
  if (!(await lease.claim(now))) return;
  const found: { seq: number; share: number }[] = [];
  for await (const { seq, share } of ranksOfBucket(storage.reads, bucket, {}, timeIn(bucket, now))) {
    found.push({ seq, share: Math.round(share * 1_000_000) });
    if (signal?.aborted || !(await lease.isHeld())) return;
  }
  const ranks = await sortInSlices(found, (one, other) => other.share - one.share || one.seq - other.seq);
  const perWrite = store.blockSize * blocksAtOnce;
  for (let from = 0; from < ranks.length; from += perWrite) {
    if (signal?.aborted || !(await lease.isHeld())) return;
    await storage.write(async (transaction) => {
      for (let first = from; first < Math.min(from + perWrite, ranks.length); first += store.blockSize) {
        const some = ranks.slice(first, first + store.blockSize);
        const block = { seqs: some.map(({ seq }) => seq), shares: some.map(({ share }) => share) };
        await store.insertBlock(transaction, { bucketSeq: bucket.seq, rankedOn }, first / store.blockSize, block);
      }
    });
  }
  const pause = Math.max(minimumPauseMilliseconds, pauseFactor * (performance.now() - began));
  const nextOn = clock.now() + Math.ceil(pause);
  await storage.write((transaction) =>
    store.publish(
      transaction,
      { bucketSeq: bucket.seq, rankedOn, size: ranks.length },
      { bucketClock: bucket.test_clock, nextOn, lease: lease.until },
    ),
  );
}

/** The right to rank a bucket, which must be extended. */
class Lease {
  until = 0;

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly bucketSeq: number,
  ) {}

  claim(now: number): Promise<boolean> {
    this.until = now + leaseMilliseconds;
    return this.storage.write((transaction) => store.claim(transaction, this.bucketSeq, now, this.until));
  }

  /** Extends it now and then. Returns false if it was lost. */
  async isHeld(): Promise<boolean> {
    const now = this.clock.now();
    if (this.until - now > leaseMilliseconds - extendMilliseconds) return true;
    const [before, until] = [this.until, now + leaseMilliseconds];
    this.until = until;
    return this.storage.write((transaction) => store.extend(transaction, this.bucketSeq, before, until));
  }
}
