import { countersOfPeriods, periodKey } from "../../../counting/counters/counter-store.ts";
import { type Amount, amountOf, numberOf } from "../../../lib/amount.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type Meters, type PlanSummary, plansWithSeqs } from "../../plans/plans.ts";
import { withProrated } from "../../subscriptions/allowance.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { allowsUsage, statusAt } from "../../subscriptions/status.ts";
import {
  allowanceSizes,
  planSummaries,
  type SubscriptionRow,
  subscriptionRowsWithSeqs,
  subscriptionSeqsAfter,
} from "../../subscriptions/subscription-rows.ts";
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

/** The maximum of a meter, and the size of its name and label, which are not needed to rank. */
interface MeterLimit {
  max: Amount;
  bytes: number;
}

type MeterLimits = Map<string, MeterLimit>;

/** The maximum number of meters of the cached plans. Each takes about 200 bytes. */
const maxCached = 50_000;
/** The number of large plans that are read at once. The meters of each may be 750 kB. */
const plansAtOnce = 5;

/** Yields the ranks of the subscriptions of a bucket that allow usage now, or of some customers, in the order of creation. */
export async function* ranksOfBucket(
  reads: Reads,
  bucket: { seq: number },
  { meter, customerKeys }: { meter?: string | undefined; customerKeys?: string[] | undefined },
  now: number,
): AsyncGenerator<UsageRank> {
  const ranks = new UsageRanks(reads, now, meter);
  for (let after = 0; ; ) {
    const seqs = await subscriptionSeqsAfter(reads, bucket.seq, after, pieceSize, customerKeys);
    if (seqs.length === 0) return;
    for (const { some } of together(await allowanceSizes(reads, seqs))) yield* ranks.of(some);
    after = seqs.at(-1)!;
    await yieldToEventLoop();
  }
}

/** Yields the ranks of subscriptions that allow usage now. */
export async function* ranksOf(
  reads: Reads,
  seqs: number[],
  meter: string | undefined,
  now: number,
): AsyncGenerator<UsageRank> {
  if (seqs.length === 0) return;
  const ranks = new UsageRanks(reads, now, meter);
  for (const { some } of together(await allowanceSizes(reads, seqs))) yield* ranks.of(some);
}

/** The size of meters to process at once. A meter takes at least 10 bytes, so they are at most 5,000. */
const bytesAtOnce = 50_000;

/** A large subscription is alone. */
export function* together(sizes: { seq: number; bytes: number }[]): Generator<{ some: number[]; isLarge: boolean }> {
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

/** Ranks subscriptions. Each plan is parsed once while it is cached, because many subscriptions have the same plans. */
class UsageRanks {
  readonly #plans = new Map<number, MeterLimits>();
  #cached = 0;
  readonly #slice = new Slice();

  constructor(
    private readonly reads: Reads,
    private readonly now: number,
    private readonly meter: string | undefined,
  ) {}

  /**
   * Yields the ranks of those that allow usage now and have the meter. A subscription with large plans must be alone:
   * the plans of several are read at once.
   */
  async *of(seqs: number[]): AsyncGenerator<UsageRank> {
    const { reads, now } = this;
    const plans = await planSummaries(reads, seqs);
    const usable = (await subscriptionRowsWithSeqs(reads, seqs)).filter((row) =>
      allowsUsage(statusAt(row, plans.get(row.seq)!, now)),
    );
    const places = usable.map((row) => ({ subscriptionSeq: row.seq, periodStart: periodOf({ row }, now).start }));
    const used = await countersOfPeriods(reads, places);
    if (usable.length > 1)
      await this.#planLimits([...new Set(usable.flatMap(({ seq }) => plans.get(seq)!.map((plan) => plan.seq)))]);
    for (const row of usable) {
      if (this.#slice.isOver) await this.#slice.next();
      const limits = await this.#limitsOf(row, plans.get(row.seq)!);
      const rank = this.#rankOf(
        row.seq,
        limits,
        used.get(periodKey(row.seq, periodOf({ row }, now).start)) ?? new Map(),
      );
      if (rank) yield rank;
    }
  }

  #rankOf(seq: number, limits: MeterLimits, used: Map<string, Amount>): UsageRank | undefined {
    const rank: UsageRank = { seq, share: 0, meters: 0, bytes: 0 };
    const add = (name: string, { max, bytes }: MeterLimit) => {
      const amount = used.get(name) ?? 0n;
      rank.meters += 1;
      rank.bytes += bytes;
      if (amount > 0n) rank.share = Math.max(rank.share, shareOf({ used: numberOf(amount), max: numberOf(max) }));
    };
    for (const [name, limit] of limits) if (this.#isChosen(name)) add(name, limit);
    for (const name of used.keys())
      if (this.#isChosen(name) && !limits.has(name)) add(name, { max: 0n, bytes: name.length });
    return rank.meters === 0 ? undefined : rank;
  }

  #isChosen(name: string): boolean {
    return this.meter === undefined || name === this.meter;
  }

  /** The same as `allowances`, without labels. */
  async #limitsOf(row: SubscriptionRow, plans: PlanSummary[]): Promise<MeterLimits> {
    const all: MeterLimits = new Map();
    for (let first = 0; first < plans.length; first += plansAtOnce) {
      const some = plans.slice(first, first + plansAtOnce).map(({ seq }) => seq);
      for (const limits of await this.#planLimits(some)) {
        for (const [name, { max, bytes }] of limits) {
          const known = all.get(name);
          if (!known) all.set(name, { max, bytes });
          else {
            known.max += max;
            // The first label is shown.
            if (known.bytes === name.length) known.bytes = bytes;
          }
        }
        if (this.#slice.isOver) await this.#slice.next();
      }
    }
    return withProrated(all, row, periodOf({ row }, this.now).start);
  }

  async #planLimits(seqs: number[]): Promise<MeterLimits[]> {
    const found = new Map<number, MeterLimits>();
    for (const seq of seqs) {
      const known = this.#plans.get(seq);
      if (known) found.set(seq, known);
    }
    for (const { seq, meters } of await plansWithSeqs(
      this.reads,
      seqs.filter((seq) => !found.has(seq)),
    )) {
      const limits = limitsIn(JSON.parse(meters) as Meters);
      found.set(seq, limits);
      this.#keep(seq, limits);
    }
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  }

  /** Evicts those that were added first. */
  #keep(seq: number, limits: MeterLimits): void {
    this.#plans.set(seq, limits);
    this.#cached += limits.size;
    for (const [oldest, { size }] of this.#plans) {
      if (this.#cached <= maxCached) return;
      this.#plans.delete(oldest);
      this.#cached -= size;
    }
  }
}

function limitsIn(meters: Meters): MeterLimits {
  const limits: MeterLimits = new Map();
  for (const [name, { label, max }] of Object.entries(meters))
    limits.set(name, { max: amountOf(max)!, bytes: name.length + Buffer.byteLength(label ?? "") });
  return limits;
}
