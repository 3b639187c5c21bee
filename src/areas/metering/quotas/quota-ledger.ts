import { Problem } from "../../../core/problems/problem.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import { type Clock, systemClock } from "../../../lib/time/clock.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { WriteBatch } from "../../../platform/storage/batch-transactions.ts";
import { type Batches, BatchWriter } from "../../../platform/storage/batch-writer.ts";
import { StorageUnavailable } from "../../../platform/storage/errors.ts";
import { FollowedCache } from "../../../platform/storage/feed/followed-cache.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { allowsUsage, billsUsage, statusAt } from "../../subscriptions/status.ts";
import { currentSubscription, needsPayment, periodOf, type Subscription } from "../../subscriptions/subscriptions.ts";
import type { WrittenTotal } from "../counters/totals.ts";
import { type CounterTotal, totalsOf } from "../counters/usage-store.ts";
import { type SpendingLimitSource, type SpendingLimits, spendingLimitsOf } from "../spending-limits.ts";
import type { CustomerPlace } from "./customer-place.ts";
import { CustomerQuota, type QuotaLimit } from "./customer-quota.ts";
import { Hold, Leases, type MeterAmounts } from "./hold.ts";
import { HoldsElsewhere, periodKey, renewalMilliseconds } from "./published-holds.ts";
import { followQuotaChanges } from "./quota-changes.ts";
import { PeriodCounters, type QuotaCounter } from "./quota-counter.ts";
import { billedLimit, limitWith, statusEnd } from "./quota-limits.ts";
import { takeUnwritten, type UnwrittenUsage, writeUsage } from "./unwritten-usage.ts";

/** The maximum of the estimated sizes of cached quotas. */
const maximumBytes = 64 * 1024 * 1024;

const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

export interface LedgerOptions {
  credits?: SpendingLimitSource;
  /** Writes a batch together with those of other writers. */
  writeShared?: WriteBatch;
  timers?: Timers;
}

/**
 * Takes from quotas on this node: `find` a customer's quota, `hold` amounts of it, then `settle` or `release` them.
 * Decisions are made in memory, and usage is written asynchronously in batches. Transactions that take from quotas hold
 * amounts here too; see TransactionHolds. It is exact on one node. Each of several nodes has the total of its last
 * write, and does not see what other nodes admitted since then or had not written by then. So a quota is exceeded by at
 * most the amount that the other nodes admit in two flush intervals. Shared holds are published with each flush. A hard
 * kill loses unflushed usage and every open hold; published ones expire on the other nodes.
 */
export class QuotaLedger {
  readonly customers: FollowedCache<CustomerQuota>;
  readonly #periods = new Map<string, PeriodCounters>();
  readonly #unwritten = new Set<QuotaCounter>();
  /** Counters with shared holds. Undefined if no other node uses the storage. */
  readonly #shared: Set<QuotaCounter> | undefined;
  readonly #leases = new Leases();
  readonly #writer: BatchWriter<UnwrittenUsage, CounterTotal[]>;
  readonly #elsewhere: HoldsElsewhere;
  #flushing: Promise<void> = Promise.resolve();
  /** The loads that no change has overtaken. */
  readonly #loading = new Map<string, Promise<CustomerQuota>>();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock = systemClock,
    private readonly options: LedgerOptions = {},
  ) {
    this.#shared = storage.isShared ? new Set() : undefined;
    const batches: Batches<UnwrittenUsage, CounterTotal[]> = {
      take: () => takeUnwritten(this.#unwritten, this.#shared ?? [], clock.now()),
      write: (transaction, batch, isNew) =>
        writeUsage(transaction, batch, isNew, { name: this.#writer.name, now: clock.now() }),
      written: (batch, totals) => {
        for (const { counter, taken, held, time } of batch) {
          if (taken) counter.written(taken);
          if (held !== undefined) counter.published(held, time + renewalMilliseconds);
        }
        this.update(totals);
      },
      dropped: ({ counter, taken }) => {
        if (taken) counter.written(taken);
      },
    };
    this.#writer = new BatchWriter(storage, clock, batches, options.writeShared);
    this.#elsewhere = new HoldsElsewhere(this.#writer.name);
    const entries = new SecondChanceCache<CustomerQuota>(maximumBytes, (quota) => quota.bytes);
    this.customers = new FollowedCache(storage.feed, entries, (quota) => quota.bucketKey);
    followQuotaChanges(storage.feed, {
      customers: this.customers,
      onEvict: () => this.#loading.clear(),
      onCounted: (totals) => this.update(totals),
    });
  }

  /** The number of counters that are ahead of storage. */
  get unwritten(): number {
    return new Set([...this.#unwritten, ...this.#writer.unconfirmed.map(({ counter }) => counter)]).size;
  }

  /** The number of cached subscriptions, each in a period. */
  get periods(): number {
    return this.#periods.size;
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

  /** Returns the open hold that has a lease of that id. */
  findHold(id: string): Hold | undefined {
    return this.#leases.find(id, this.clock.now());
  }

  /**
   * Writes settled usage and what this node holds in one transaction, then reads what other nodes hold. If storage is
   * unavailable, the next flush retries.
   */
  flush(): Promise<void> {
    this.#leases.expire(this.clock.now());
    if (!this.#shared) return this.#writer.flush();
    // One after the other: a total that is read during a write may include a batch that is still held here.
    this.#flushing = this.#flushing
      .catch(() => {})
      .then(() => this.#writer.flush())
      .then(() => this.#readHoldsElsewhere());
    return this.#flushing;
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
   * @param testTime the time of a test bucket
   */
  takeOver(subscriptionSeq: number, period: Period, amounts: MeterAmounts, isShared: boolean, testTime?: number): Hold {
    const counters = this.#countersOf(subscriptionSeq, period);
    counters.testTime ??= testTime;
    const parts = [...amounts].map(([meter, amount]) => ({ counter: counters.counter(meter), ...billedLimit, amount }));
    return new Hold(counters, parts, undefined, this.#leases, isShared);
  }

  /** Returns the counters of a subscription for a transaction that takes from them. They are kept until `unpin`. */
  pin(subscriptionSeq: number, period: Period): PeriodCounters {
    this.#leases.expire(this.clock.now());
    const counters = this.#countersOf(subscriptionSeq, period);
    counters.transactions += 1;
    return counters;
  }

  unpin(counters: PeriodCounters): void {
    counters.transactions -= 1;
    // Most belong to customers without gateway traffic here; keeping them until they are idle would waste memory.
    if (counters.cacheKeys.size === 0 && counters.isSettled) this.#evict(counters);
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
    this.#loading.clear();
    for (const key of counters.cacheKeys) this.customers.evict(key);
    this.#periods.delete(periodKey(counters.subscriptionSeq, counters.periodStart));
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

  async #load({ key, accountSeq, bucketId, customerKey }: CustomerPlace, now: number): Promise<CustomerQuota> {
    let bucketKey = `${accountSeq} ${bucketId}`;
    const quota = await this.customers.load(key, async () => {
      const { reads } = this.storage;
      const bucket = await findBucketIfAny(reads, accountSeq, bucketId);
      // Cached by its id, also if it was looked up by name, because changes of its plans contain the id.
      if (bucket) bucketKey = `${accountSeq} ${bucket.id}`;
      const time = bucket ? timeIn(bucket, now) : now;
      const subscription = bucket && (await currentSubscription(reads, bucket, customerKey, time));
      if (bucket && !subscription && (await needsPayment(reads, bucket, customerKey, time)))
        return this.#none(bucketKey, true);
      const limits = subscription && (await this.#creditsOf(bucket!, subscription, time));
      const quota = await this.#open(key, bucketKey, subscription, time, !bucket || bucket.test_clock === null, limits);
      // Read after the counters are in the list: totals that arrive in the meantime update them there, and the later
      // total wins.
      if (subscription) await this.#updateFromStorage(reads, subscription, quota);
      return quota;
    });
    // Storage is unavailable and the cached period is over: the total of the next period is known after the next flush.
    return quota!.isValidAt(now) ? quota! : this.#open(key, quota!.bucketKey, quota!.subscription, now);
  }

  #creditsOf(bucket: MeteringBucket, subscription: Subscription, now: number): Promise<SpendingLimits | undefined> {
    const { reads } = this.storage;
    return spendingLimitsOf(this.options.credits, reads, bucket, subscription.row, periodOf(subscription, now), now);
  }

  async #updateFromStorage(reads: Reads, { row }: Subscription, { period }: CustomerQuota): Promise<void> {
    const slice = new Slice();
    for await (const totals of totalsOf(reads, row.seq, period.start))
      for (const total of totals) {
        if (slice.isOver) await slice.next();
        this.update([total]);
      }
  }

  async #open(
    key: string,
    bucketKey: string,
    subscription: Subscription | undefined,
    now: number,
    timePasses = true,
    limits?: SpendingLimits,
  ): Promise<CustomerQuota> {
    const status = subscription && statusAt(subscription.row, subscription.plans, now);
    if (!subscription || !allowsUsage(status!)) return this.#none(bucketKey, false);
    const period = periodOf(subscription, now);
    const all = await allowances(subscription.row, subscription.plans, period.start);
    const counters = this.#countersOf(subscription.row.seq, period);
    counters.cacheKeys.add(key);
    counters.testTime = timePasses ? undefined : now;
    const allowed = new Map<string, QuotaLimit>();
    const slice = new Slice();
    for (const [meter, { max, isBilled }] of all) {
      allowed.set(meter, isBilled && billsUsage(status!) ? billedLimit : limitWith(max, limits?.meters.get(meter)));
      // A counter that does not exist cannot be updated.
      counters.counter(meter);
      if (slice.isOver) await slice.next();
    }
    // The time of a test bucket stands still; moving it evicts the quota.
    const validFrom = timePasses ? period.start : always.start;
    const changesOn = Math.min(statusEnd(subscription, now), limits?.validUntil ?? Number.POSITIVE_INFINITY);
    const validUntil = timePasses ? Math.min(period.end, changesOn) : always.end;
    const valid = { start: validFrom, end: validUntil };
    return new CustomerQuota(bucketKey, subscription, valid, period, allowed, counters, this.#leases, limits?.budget);
  }

  #none(bucketKey: string, needsPayment: boolean): CustomerQuota {
    const none = undefined;
    return new CustomerQuota(bucketKey, none, always, always, new Map(), none, this.#leases, none, needsPayment);
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
      this.#shared,
      this.options.timers,
    );
    counters.heldElsewhere = this.#elsewhere.of(key);
    this.#periods.set(key, counters);
    return counters;
  }
}

/** A bucket that does not exist has no subscription. */
async function findBucketIfAny(reads: Reads, accountSeq: number, id: string): Promise<MeteringBucket | undefined> {
  try {
    return await findMeteringBucket(reads, accountSeq, id);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}
