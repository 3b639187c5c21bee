import { countersOfPeriods } from "../../../counting/counters/counter-store.ts";
import { type Amount, amountOf, numberOf } from "../../../lib/amount.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type Meters, type PlanSummary, plansWithSeqs } from "../../plans/plans.ts";
import { withProrated } from "../../subscriptions/allowance.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { allowsUsage, statusAt } from "../../subscriptions/status.ts";
import {
  planSummaries,
  type SubscriptionRow,
  subscriptionRowsWithSeqs,
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

/** Ranks subscriptions. Each plan is parsed once while it is cached, because many subscriptions have the same plans. */
export class UsageRanks {
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
      const rank = this.#rankOf(row.seq, limits, used.get(row.seq) ?? new Map());
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
