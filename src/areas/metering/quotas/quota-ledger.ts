import { Problem } from "../../../core/problems/problem.ts";
import type { Amount } from "../../../lib/amount.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import { type Clock, systemClock } from "../../../lib/time/clock.ts";
import { BatchWriter } from "../../../platform/storage/batch-writer.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { FollowedCache } from "../../../platform/storage/feed/followed-cache.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { findBucket, type MeteringBucket } from "../buckets.ts";
import { totalsIn } from "../counters/totals.ts";
import { addHour } from "../counters/usage-hours.ts";
import { type CounterTotal, raiseCounters, usedIn } from "../counters/usage-store.ts";
import { allowances } from "../plans/allowance.ts";
import { existingSubscriptions } from "../store.ts";
import { isGood, statusAt } from "../subscriptions/status.ts";
import { currentSubscription, periodOf, type Subscription } from "../subscriptions/subscriptions.ts";
import { CustomerQuota } from "./customer-quota.ts";
import { type Hold, Leases } from "./hold.ts";
import { PeriodCounters, type QuotaCounter, type Taken } from "./quota-counter.ts";

/** Estimates, for bounding memory. */
const maximumBytes = 64 * 1024 * 1024;
const customerBytes = 2500;
const meterBytes = 400;

/** Whose quota is looked up. Frequent callers keep it: building its key costs more than the look-up. */
export interface CustomerPlace {
  readonly accountSeq: number;
  /** Or its name. */
  readonly bucketId: string;
  readonly customerKey: string;
  readonly key: string;
}

export function customerPlace(accountSeq: number, bucketId: string, customerKey: string): CustomerPlace {
  return { accountSeq, bucketId, customerKey, key: `${accountSeq} ${bucketId} ${customerKey}` };
}

/** What was settled of a counter, on its way to storage. */
interface Settled {
  counter: QuotaCounter;
  taken: Taken;
  /** When it was taken for writing; in the counter's period. */
  time: number;
}

const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

type SubscriptionKind = "subscription.created" | "subscription.updated" | "subscription.deleted";

/**
 * What this node takes from quotas: `find` a customer's quota, `hold` amounts of it, then `settle` or `release` them. Decided
 * in memory, and written behind in groups. Transactions that take from quotas hold it here too; see TransactionHolds.
 *
 * Exact on one node. Of several, each knows what storage had counted when it last wrote: what it does not see is what the
 * others let through since then, and what they had not written by then. So a quota is exceeded by at most what the other
 * nodes let through in two flush intervals. A hard kill loses what was not flushed, and every open hold.
 */
export class QuotaLedger {
  readonly customers: FollowedCache<CustomerQuota>;
  readonly #periods = new Map<string, PeriodCounters>();
  readonly #unwritten = new Set<QuotaCounter>();
  readonly #leases = new Leases();
  readonly #writer: BatchWriter<Settled, CounterTotal[]>;

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock = systemClock,
  ) {
    this.#writer = new BatchWriter<Settled, CounterTotal[]>(storage, clock, {
      take: () => this.#takeSettled(),
      write: raiseSettled,
      written: (batch, totals) => {
        for (const { counter, taken } of batch) counter.written(taken);
        this.update(totals);
      },
    });
    const entries = new SecondChanceCache<CustomerQuota>(
      maximumBytes,
      (quota) => customerBytes + quota.meterCount * meterBytes,
    );
    this.customers = new FollowedCache(storage.feed, entries, (quota) => quota.bucketKey);
    const evictHolder = ({ accountSeq, data }: Change<SubscriptionKind>) => {
      this.customers.evict(`${accountSeq} ${data.bucketId} ${data.customerKey}`);
      if (data.bucketName !== undefined) this.customers.evict(`${accountSeq} ${data.bucketName} ${data.customerKey}`);
    };
    // Entries that cached it under another name, and entries that cached its absence under this one.
    const evictBucket = ({
      accountSeq,
      subject,
      data,
    }: Change<"metering-bucket.created" | "metering-bucket.updated">) => {
      this.customers.evictGroup(`${accountSeq} ${subject}`);
      if (data.bucketName !== undefined) this.customers.evictGroup(`${accountSeq} ${data.bucketName}`);
    };
    storage.feed.follow(
      "quotas",
      {
        "subscription.created": evictHolder,
        "subscription.updated": evictHolder,
        "subscription.deleted": evictHolder,
        "metering-bucket.created": evictBucket,
        "metering-bucket.updated": evictBucket,
        "plan.updated": ({ accountSeq, data }) => this.customers.evictGroup(`${accountSeq} ${data.bucketId}`),
        "metering-bucket.deleted": ({ accountSeq, subject }) => this.customers.evictGroup(`${accountSeq} ${subject}`),
        "account.deleted": () => this.customers.clear(),
        "usage.counted": ({ data }) => this.update(totalsIn(data)),
      },
      () => this.customers.clear(),
    );
  }

  /** Counters that are ahead of storage. */
  get unwritten(): number {
    return new Set([...this.#unwritten, ...this.#writer.unconfirmed.map(({ counter }) => counter)]).size;
  }

  /** Subscriptions, each in a period, of which anything is remembered. */
  get periods(): number {
    return this.#periods.size;
  }

  /** What a customer may use now. Without a promise where memory knows. */
  find(customer: CustomerPlace, now: number): CustomerQuota | Promise<CustomerQuota> {
    const known = this.customers.peek(customer.key);
    return known?.isValidAt(now) ? known : this.#load(customer, now);
  }

  /** The open hold that has a lease of that id. */
  findHold(id: string): Hold | undefined {
    return this.#leases.find(id, this.clock.now());
  }

  /** Writes what was settled, in one transaction. What storage does not take now is kept for the next time. */
  flush(): Promise<void> {
    this.#leases.expire(this.clock.now());
    return this.#writer.flush();
  }

  /** Evicts what was not used since the last call. */
  forgetIdle(): void {
    for (const counters of this.#periods.values()) {
      if (counters.isUsed || !counters.isSettled) counters.isUsed = false;
      else this.#forget(counters);
    }
  }

  /** The counters of a subscription for a transaction that takes from them: kept until `unpin`. */
  pin(subscriptionSeq: number, period: Period): PeriodCounters {
    this.#leases.expire(this.clock.now());
    const counters = this.#countersOf(subscriptionSeq, period);
    counters.transactions += 1;
    return counters;
  }

  unpin(counters: PeriodCounters): void {
    counters.transactions -= 1;
    // Most are of customers without gateway traffic here; keeping them until they are idle would take memory for nothing.
    if (counters.cacheKeys.size === 0 && counters.isSettled) this.#forget(counters);
  }

  /** The name under which batches are written. */
  get writer(): string {
    return this.#writer.name;
  }

  /** The number of the batch that is being written, or of the last. */
  get batch(): number {
    return this.#writer.number;
  }

  /** Counters learn how far storage has counted. */
  update(totals: CounterTotal[]): void {
    for (const { subscriptionSeq, periodStart, meter, used } of totals)
      this.#periods.get(periodKey(subscriptionSeq, periodStart))?.update(meter, used);
  }

  /** With the quotas that refer to them: counters that are not in the list learn nothing any more. */
  #forget(counters: PeriodCounters): void {
    for (const key of counters.cacheKeys) this.customers.evict(key);
    this.#periods.delete(periodKey(counters.subscriptionSeq, counters.periodStart));
  }

  #takeSettled(): Settled[] {
    const now = this.clock.now();
    const batch = [...this.#unwritten].map((counter) => {
      const { periodStart, periodEnd } = counter.of;
      const time = Math.max(periodStart, Math.min(now, periodEnd - 1));
      return { counter, taken: counter.take(), time };
    });
    this.#unwritten.clear();
    return batch;
  }

  async #load({ key, accountSeq, bucketId, customerKey }: CustomerPlace, now: number): Promise<CustomerQuota> {
    let bucketKey = `${accountSeq} ${bucketId}`;
    const quota = await this.customers.load(key, async () => {
      const { reads } = this.storage;
      const bucket = await findBucketIfAny(reads, accountSeq, bucketId);
      // Under its id, also where it was looked for by name: changes of its plans name the id.
      if (bucket) bucketKey = `${accountSeq} ${bucket.id}`;
      const subscription = bucket && (await currentSubscription(reads, bucket, customerKey, now));
      const quota = this.#open(key, bucketKey, subscription, now);
      // After the counters are in the list: what is counted meanwhile reaches them there, and the larger total stands.
      if (subscription) await this.#updateFromStorage(reads, subscription, quota);
      return quota;
    });
    // Storage is away and the period that memory knows is over: what is left of the next one shows at the next flush.
    return quota!.isValidAt(now) ? quota! : this.#open(key, quota!.bucketKey, quota!.subscription, now);
  }

  async #updateFromStorage(reads: Reads, { row }: Subscription, { period }: CustomerQuota): Promise<void> {
    for (const [meter, used] of await usedIn(reads, row.seq, period.start))
      this.update([{ subscriptionSeq: row.seq, periodStart: period.start, meter, used }]);
  }

  #open(key: string, bucketKey: string, subscription: Subscription | undefined, now: number): CustomerQuota {
    if (!subscription || !isGood(statusAt(subscription.row, subscription.plans, now)))
      return new CustomerQuota(bucketKey, undefined, always, always.end, new Map(), undefined, this.#leases);
    const period = periodOf(subscription, now);
    const counters = this.#countersOf(subscription.row.seq, period);
    counters.cacheKeys.add(key);
    const allowed = new Map<string, Amount>();
    for (const [meter, { max }] of allowances(subscription.row, subscription.plans, period.start)) {
      allowed.set(meter, max);
      // A counter that does not exist does not learn.
      counters.counter(meter);
    }
    const validUntil = Math.min(period.end, goodUntil(subscription, now));
    return new CustomerQuota(bucketKey, subscription, period, validUntil, allowed, counters, this.#leases);
  }

  /** The same, however often the customer's quota is loaded anew: they may be ahead of storage. */
  #countersOf(subscriptionSeq: number, { start, end }: Period): PeriodCounters {
    const key = periodKey(subscriptionSeq, start);
    const known = this.#periods.get(key);
    if (known) {
      known.isUsed = true;
      return known;
    }
    const counters = new PeriodCounters(subscriptionSeq, start, end, this.#unwritten);
    this.#periods.set(key, counters);
    return counters;
  }
}

/** What a subscription that is gone has used is of no interest any more. */
async function raiseSettled(transaction: WriteTransaction, batch: Settled[], isNew: boolean): Promise<CounterTotal[]> {
  const seqs = new Set(batch.map(({ counter }) => counter.of.subscriptionSeq));
  const existing = await existingSubscriptions(transaction, [...seqs]);
  const changes = batch
    .filter(({ counter }) => existing.has(counter.of.subscriptionSeq))
    .map(({ counter: { of, meter }, taken, time }) => {
      const { subscriptionSeq, periodStart } = of;
      // Raised by nothing, a counter only returns how far it is.
      const consumed = isNew ? taken.used : 0n;
      const hours = new Map<number, Amount>();
      if (consumed > 0n) addHour(hours, time, consumed);
      return { subscriptionSeq, periodStart, meter, events: 0, amount: 0n, consumed, hours };
    });
  return raiseCounters(transaction, changes);
}

function periodKey(subscriptionSeq: number, periodStart: number): string {
  return `${subscriptionSeq} ${periodStart}`;
}

/** A bucket that does not exist holds no subscription. */
async function findBucketIfAny(reads: Reads, accountSeq: number, id: string): Promise<MeteringBucket | undefined> {
  try {
    return await findBucket(reads, accountSeq, id);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

/** When the status turns bad by itself: at the end of a trial that does not become active. */
function goodUntil({ row, plans }: Subscription, now: number): number {
  const end = row.status === "trialing" ? row.trial_end_date : null;
  if (end === null || now >= end) return Number.POSITIVE_INFINITY;
  return isGood(statusAt(row, plans, end)) ? Number.POSITIVE_INFINITY : end;
}
