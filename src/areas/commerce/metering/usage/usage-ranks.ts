import { countersOfPeriods, periodKey } from "../../../../counting/counters/counter-store.ts";
import { type Amount, numberOf } from "../../../../lib/amount.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
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
