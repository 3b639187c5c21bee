import type { Amount } from "../../lib/amount.ts";
import { SecondChanceCache } from "../../lib/cache/second-chance-cache.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import { TurnGroup } from "../../lib/tasks/turn-group.ts";
import type { Period } from "../../lib/time/calendar.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { WriteBatch } from "../../platform/storage/batch-transactions.ts";
import { type Batches, BatchWriter } from "../../platform/storage/batch-writer.ts";
import { FollowedCache } from "../../platform/storage/change-feed/followed-cache.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { type CounterTotal, periodKey, totalsOfPeriods } from "../counters/counter-store.ts";
import type { WrittenTotal } from "../counters/totals.ts";
import type { CustomerPlace } from "./customer-place.ts";
import { CustomerQuota, type HeldIn, type HoldOptions } from "./customer-quota.ts";
import { Hold, type MeterAmounts } from "./hold.ts";
import { LostHolds } from "./lost-holds.ts";
import { LostUsage } from "./lost-usage.ts";
import { deleteHoldsOf, HoldsElsewhere } from "./published-holds.ts";
import { PeriodCounters, type QuotaCounter, renewalMilliseconds } from "./quota-counter.ts";
import { billedLimit, type QuotaDefinition, type QuotaSource, type WantedQuota } from "./quota-definition.ts";
import type { SavedBatch } from "./saved-usage.ts";
import { StoppedSubscriptions } from "./stopped-subscriptions.ts";
import { countersAtOnce, takeUnwritten, timeIn, type UnwrittenUsage, writeUsage } from "./unwritten-usage.ts";

/** The maximum of the estimated sizes of cached quotas. */
const maximumBytes = 64 * 1024 * 1024;

/** The totals of several quotas are read together, up to so many. */
const totalsAtOnce = 20_000;

/** A hold that another process has admitted. */
interface TakenOver {
  amounts: MeterAmounts;
  isShared: boolean;
  /** See Hold. */
  estimate?: MeterAmounts | undefined;
}

export interface LedgerOptions {
  /** Writes a batch together with those of other writers. */
  writeShared?: WriteBatch;
  timers?: Timers;
}

/**
 * Takes from quotas on this node: `find` a customer's quota, `hold` amounts of it, then `settle` or `release` them.
 * Decisions are made in memory, and usage is written asynchronously in batches. Transactions that take from quotas hold
 * amounts here too; see TransactionHolds. It is exact on one node. Each of several nodes has the total of its last
 * write, and does not see what other nodes admitted since then or had not written by then. So a quota is exceeded by at
 * most the amount that the other nodes admit in two flush intervals. Shared holds and estimates are published with each
 * flush. A hard kill loses unflushed usage and every open hold; published ones expire on the other nodes, and their
 * estimates count (`countLost`).
 */
export class QuotaLedger {
  readonly customers: FollowedCache<CustomerQuota>;
  readonly #periods = new Map<string, PeriodCounters>();
  /** The same by subscription. */
  readonly #periodsOf = new Map<number, PeriodCounters[]>();
  readonly #stopped = new StoppedSubscriptions({
    countersOf: (subscriptionSeq) => this.#periodsOf.get(subscriptionSeq) ?? [],
    flush: () => this.flush(),
  });
  readonly #unwritten = new Set<QuotaCounter>();
  /** Counters whose holds are published. */
  readonly #published = new Set<QuotaCounter>();
  readonly #writer: BatchWriter<UnwrittenUsage, CounterTotal[]>;
  readonly #elsewhere: HoldsElsewhere;
  readonly lost = new LostHolds();
  readonly #lostUsage: LostUsage;
  /** Primaries that have ended, whose holds are those of workers of this node. */
  readonly #formerPrimaries = new Set<string>();
  #flushing: Promise<void> = Promise.resolve();
  /** What several customers need in the same turn of the event loop is read together. */
  readonly #definitions: TurnGroup<WantedQuota, QuotaDefinition>;
  readonly #totals = new TurnGroup<CustomerQuota, undefined>((quotas) => this.#readTotals(quotas));
  readonly #refreshes = new TurnGroup<CustomerQuota, undefined>((quotas) => this.#readTotals(quotas), {
    oneAtATime: true,
  });
  /** The loads that no change has overtaken. */
  readonly #loading = new Map<string, Promise<CustomerQuota>>();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    source: QuotaSource,
    private readonly options: LedgerOptions = {},
  ) {
    const batches: Batches<UnwrittenUsage, CounterTotal[]> = {
      take: () => takeUnwritten(this.#unwritten, this.#published, clock.now()),
      write: (transaction, batch, isNew) =>
        writeUsage(transaction, batch, isNew, { name: this.#writer.name, now: clock.now() }),
      written: (batch, totals) => {
        for (const { counter, taken, published, takenOn, overcounted } of batch) {
          counter.overcounted = overcounted;
          if (taken) counter.written(taken);
          if (published) counter.published(published, takenOn + renewalMilliseconds);
        }
        this.update(totals);
      },
      dropped: ({ counter, taken }) => {
        if (taken) counter.written(taken);
      },
    };
    this.#definitions = new TurnGroup((wanted) => source(storage.reads, wanted));
    this.#writer = new BatchWriter(storage, clock, batches, options.writeShared);
    this.#elsewhere = new HoldsElsewhere(this.#writer.name);
    this.#lostUsage = new LostUsage(storage);
    const entries = new SecondChanceCache<CustomerQuota>(maximumBytes, (quota) => quota.bytes);
    this.customers = new FollowedCache(storage.feed, entries, (quota) => quota.groupKey);
    storage.countsInMemory.add(this.#stopped);
  }

  /** The number of counters that are ahead of storage. */
  get unwritten(): number {
    return new Set([...this.#unwritten, ...this.#writer.unconfirmed.map(({ counter }) => counter)]).size;
  }

  /** The usage of these counters, for a node that may end before storage is available. */
  get unwrittenBatches(): SavedBatch[] {
    const usageOf = ({ meter, period: { subscriptionSeq, periodStart } }: QuotaCounter, used: Amount, time: number) =>
      used === 0n ? [] : [{ subscriptionSeq, periodStart, meter, used: String(used), time }];
    const now = this.clock.now();
    const more = [...this.#unwritten].map((counter) => ({
      counter,
      time: timeIn(counter, now),
      settled: counter.settled,
    }));
    return this.#writer.numbered(more).map(({ number, items }) => ({
      number,
      usage: items.flatMap((item) =>
        usageOf(item.counter, "settled" in item ? item.settled : (item.taken?.used ?? 0n), item.time),
      ),
    }));
  }

  /** The number of cached subscriptions, each in a period. */
  get periods(): number {
    return this.#periods.size;
  }

  /** What requests hold from a subscription's quotas in a period, by meter, also on other nodes. */
  heldIn(subscriptionSeq: number, periodStart: number): ReadonlyMap<string, Amount> | undefined {
    const key = periodKey(subscriptionSeq, periodStart);
    return this.#periods.get(key)?.held ?? this.#elsewhere.of(key);
  }

  /** The subscriptions from whose quotas this node holds something. */
  get heldSubscriptions(): Set<number> {
    const held = this.#periods.values().filter((counters) => !counters.isSettled);
    return new Set(held.map(({ subscriptionSeq }) => subscriptionSeq));
  }

  /** Returns the current quota of a customer. Synchronous if it is cached. */
  find(customer: CustomerPlace, now: number): CustomerQuota | Promise<CustomerQuota> {
    const known = this.customers.peek(customer.key);
    return known?.isValidAt(now) ? known : this.#loadOnce(customer, now);
  }

  /** Concurrent requests of a customer share a load that began after the last change. */
  async #loadOnce(customer: CustomerPlace, now: number): Promise<CustomerQuota> {
    if (this.storage.feed.trust() !== "fresh") return this.#load(customer, now);
    const { key } = customer;
    let loading = this.#loading.get(key);
    if (!loading) {
      loading = this.#load(customer, now).finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
      this.#loading.set(key, loading);
    }
    const quota = await loading;
    return quota.isValidAt(now) ? quota : this.#load(customer, now);
  }

  /**
   * Reads the totals of a quota if they are too old to decide; see CustomerQuota. Undefined if they are not, and while
   * storage is unavailable: then what is known decides.
   */
  refresh(
    quota: CustomerQuota,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
  ): Promise<unknown> | undefined {
    if (!quota.isOutdated(amounts, now, options) || this.storage.feed.trust() !== "fresh") return undefined;
    return quota.read(async () => {
      try {
        await this.#refreshes.add(quota);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        quota.totalsRead(this.clock.now());
      }
    });
  }

  /** To be called before quotas are evicted: a load that has begun may have read what was there before the change. */
  abandonLoads(): void {
    this.#loading.clear();
  }

  /**
   * Writes settled usage and what this node holds in one transaction, then reads what other nodes hold. If storage is
   * unavailable, the next flush retries.
   */
  flush(): Promise<void> {
    this.lost.count(this.clock.now());
    if (!this.storage.isShared) {
      this.#flushing = this.#writeAll().then(() => this.#deleteFormerHolds());
      return this.#flushing;
    }
    // One after the other: a total that is read during a write may include a batch that is still held here.
    this.#flushing = this.#flushing
      .catch(() => {})
      .then(() => this.#writeAll())
      .then(() => this.#deleteFormerHolds())
      .then(() => this.#readHoldsElsewhere());
    return this.#flushing;
  }

  /** Writes what is unwritten now, in several transactions if it is much. */
  async #writeAll(): Promise<void> {
    for (let left = this.#unwritten.size; ; left -= countersAtOnce) {
      await this.#writer.flush();
      if (left <= countersAtOnce) return;
    }
  }

  /**
   * Called when storage may have lower totals than before, because it was replaced. Loads that have begun update
   * counters that are not in the list any more, or fail.
   */
  startOver(): void {
    for (const counters of this.#periods.values()) {
      if (counters.isSettled) this.#evict(counters);
      else counters.startOver();
    }
    this.abandonLoads();
    this.customers.clear();
  }

  /** Evicts counters that were not used since the last call. */
  evictIdle(): void {
    for (const counters of this.#periods.values()) {
      if (counters.isUsed || !counters.isSettled) counters.isUsed = false;
      else this.#evict(counters);
    }
  }

  /**
   * Holds amounts that another process has admitted, without a check: the subscription may have ended since, and storage
   * may be unavailable.
   */
  takeOver({ subscriptionSeq, periodStart: start, periodEnd: end, testTime }: HeldIn, taken: TakenOver): Hold {
    const { amounts, isShared, estimate } = taken;
    const counters = this.#countersOf(subscriptionSeq, { start, end });
    counters.testTime ??= testTime;
    const parts = [...amounts].map(([meter, amount]) => ({ counter: counters.counter(meter), ...billedLimit, amount }));
    const hold = new Hold(counters, parts, isShared);
    if (estimate) hold.estimate(estimate);
    return hold;
  }

  /** Workers of this node have the holds that an ended primary published: they must not count as lost. */
  replaces(primary: string): void {
    if (primary !== this.writer) this.#formerPrimaries.add(primary);
  }

  /** Counts the estimated usage of killed nodes. */
  async countLost(): Promise<void> {
    this.update(await this.#lostUsage.count(this.clock.now()));
  }

  /** Returns the counters of a subscription for a transaction that takes from them. They are kept until `unpin`. */
  pin(subscriptionSeq: number, period: Period): PeriodCounters {
    const counters = this.#countersOf(subscriptionSeq, period);
    counters.transactions += 1;
    return counters;
  }

  unpin(counters: PeriodCounters): void {
    counters.transactions -= 1;
    // Most belong to customers without gateway traffic here; keeping them until they are idle would waste memory.
    if (counters.cacheKeys.length === 0 && counters.isSettled) this.#evict(counters);
  }

  /** The name under which batches are written. */
  get writer(): string {
    return this.#writer.name;
  }

  /** The number of the batch that is being written, or of the last one. */
  get batch(): number {
    return this.#writer.number;
  }

  /** Updates counters with their totals in storage. */
  update(totals: Iterable<CounterTotal | WrittenTotal>): void {
    let last: { subscriptionSeq: number; periodStart: number; counters: PeriodCounters | undefined } | undefined;
    for (const { subscriptionSeq, periodStart, meter, used, version } of totals) {
      // Totals of one period follow each other, and those of most are not cached.
      if (last?.subscriptionSeq !== subscriptionSeq || last.periodStart !== periodStart) {
        const counters = this.#periods.get(periodKey(subscriptionSeq, periodStart));
        last = { subscriptionSeq, periodStart, counters };
      }
      last.counters?.update(meter, BigInt(used), version);
    }
  }

  /** Evicts the quotas that refer to them too, because counters that are not in the list are no longer updated. */
  #evict(counters: PeriodCounters): void {
    this.abandonLoads();
    for (const key of counters.cacheKeys) this.customers.evict(key);
    const { subscriptionSeq, periodStart } = counters;
    this.#periods.delete(periodKey(subscriptionSeq, periodStart));
    const others = this.#periodsOf.get(subscriptionSeq)!.filter((each) => each !== counters);
    if (others.length === 0) this.#periodsOf.delete(subscriptionSeq);
    else this.#periodsOf.set(subscriptionSeq, others);
  }

  async #deleteFormerHolds(): Promise<void> {
    const former = [...this.#formerPrimaries];
    if (former.length === 0) return;
    try {
      await deleteHoldsOf(this.storage, former);
      for (const each of former) this.#formerPrimaries.delete(each);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  async #readHoldsElsewhere(): Promise<void> {
    const before = [...this.#elsewhere.periodKeys];
    try {
      this.update(await this.#elsewhere.read(this.storage.reads, this.clock.now()));
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      this.#elsewhere.expire(this.clock.now());
    }
    for (const key of [...before, ...this.#elsewhere.periodKeys]) {
      const counters = this.#periods.get(key);
      if (counters) counters.heldElsewhere = this.#elsewhere.of(key);
    }
  }

  async #load(customer: CustomerPlace, now: number): Promise<CustomerQuota> {
    const { key } = customer;
    const quota = (await this.customers.load(key, async () => {
      const definition = await this.#definitions.add({ customer, now });
      if (!definition.subscribed && this.storage.feed.trust() === "copied")
        throw new StorageUnavailable("the copy may lack the subscription");
      const loaded = this.#open(key, definition);
      // Read after the counters are in the list: totals that arrive in the meantime update them there, and the later
      // total wins.
      if (loaded.heldIn) await this.#totals.add(loaded);
      return loaded;
    }))!;
    // Storage is unavailable and the cached period is over: the total of the next period is known after the next flush.
    return quota.isValidAt(now) ? quota : this.#open(key, quota.definition.at(now));
  }

  /** A total that may include a batch that is still held here is read again after the flush. */
  async #readTotals(quotas: CustomerQuota[], isRepeated = false): Promise<undefined[]> {
    const { reads } = this.storage;
    const startedOn = this.clock.now();
    const slice = new Slice();
    const unsure = new Set<string>();
    const update = async (totals: CounterTotal[]) => {
      for (const total of totals) {
        if (slice.isOver) await slice.next();
        const key = periodKey(total.subscriptionSeq, total.periodStart);
        if (!isRepeated && this.#periods.get(key)?.isWriting(total.meter)) unsure.add(key);
        else this.update([total]);
      }
    };
    let count = 0;
    const groups = Map.groupBy(quotas, ({ meterCount }) => {
      count += meterCount;
      return Math.floor(count / totalsAtOnce);
    });
    for (const some of groups.values())
      await update(
        await totalsOfPeriods(
          reads,
          some.map((quota) => quota.heldIn!),
        ),
      );
    for (const quota of quotas) quota.totalsRead(startedOn);
    if (unsure.size > 0) {
      await this.#flushing.catch(() => {});
      await this.#readTotals(
        quotas.filter(({ heldIn }) => unsure.has(periodKey(heldIn!.subscriptionSeq, heldIn!.periodStart))),
        true,
      );
    }
    return quotas.map(() => undefined);
  }

  #open(key: string, definition: QuotaDefinition): CustomerQuota {
    const { subscribed } = definition;
    if (!subscribed) return new CustomerQuota(definition, undefined);
    const { subscriptionSeq, period, limits, testTime } = subscribed;
    const counters = this.#countersOf(subscriptionSeq, period);
    if (!counters.cacheKeys.includes(key)) counters.cacheKeys.push(key);
    counters.testTime = testTime;
    // A counter that does not exist cannot be updated.
    for (const meter of limits.keys()) counters.counter(meter);
    return new CustomerQuota(definition, counters);
  }

  /** The same object, however often the customer's quota is loaded: counters may be ahead of storage. */
  #countersOf(subscriptionSeq: number, { start, end }: Period): PeriodCounters {
    const key = periodKey(subscriptionSeq, start);
    const known = this.#periods.get(key);
    if (known) {
      known.isUsed = true;
      return known;
    }
    const counters = new PeriodCounters(
      subscriptionSeq,
      start,
      end,
      this.#unwritten,
      this.#published,
      this.storage.isShared,
      this.options.timers,
    );
    counters.heldElsewhere = this.#elsewhere.of(key);
    counters.stopped = this.#stopped.ended(subscriptionSeq);
    this.#periods.set(key, counters);
    this.#periodsOf.set(subscriptionSeq, [...(this.#periodsOf.get(subscriptionSeq) ?? []), counters]);
    return counters;
  }
}
