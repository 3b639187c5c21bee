import type { Amount } from "../../lib/amount.ts";
import type { ColumnType, WriteTransaction } from "../../platform/storage/storage.ts";
import type { CounterChange, CounterTotal } from "../counters/counter-store.ts";
import { raiseExisting } from "../counters/raise-counters.ts";
import { addHour } from "../counters/usage-hours.ts";
import { type PublishedHold, publishHolds } from "./published-holds.ts";
import type { Published, QuotaCounter, Taken } from "./quota-counter.ts";

/** The changes of a counter that a flush writes. */
export interface UnwrittenUsage {
  counter: QuotaCounter;
  /** Settled usage. Undefined if only what is held is published. */
  taken: Taken | undefined;
  /** The amounts of open holds to publish. Undefined if they are published already. */
  published: Published | undefined;
  /** When it was taken for writing. */
  takenOn: number;
  /** The same for usage: in the counter's period. */
  time: number;
  /** The estimate in storage, which other nodes count if its lease has expired for long. 0 if it has not expired. */
  expired: Amount;
  /** What storage has counted beyond the usage, once the batch is written. */
  overcounted: Amount;
}

/** The maximum number of counters in one transaction, which takes a fraction of a second. */
export const countersAtOnce = 5_000;

/**
 * Takes what has to be written from some counters, from those that wait longest first. `withHolds` are those whose holds
 * are published: together with their usage, because the usage may have been held.
 */
export function takeUnwritten(
  unwritten: Set<QuotaCounter>,
  withHolds: Set<QuotaCounter>,
  now: number,
): UnwrittenUsage[] {
  const batch: UnwrittenUsage[] = [];
  const add = (counter: QuotaCounter, taken?: Taken) => {
    const published = withHolds.has(counter) ? counter.unpublished(now) : undefined;
    if (!taken && !published) return;
    const { overcounted } = counter;
    const [time, expired] = [timeIn(counter, now), counter.expiredEstimate(now)];
    batch.push({ counter, taken, published, takenOn: now, time, expired, overcounted });
  };
  for (const counter of unwritten) {
    if (batch.length >= countersAtOnce) break;
    unwritten.delete(counter);
    add(counter, counter.take());
  }
  const added = new Set(batch.map(({ counter }) => counter));
  for (const counter of withHolds) {
    if (batch.length >= countersAtOnce) break;
    if (!unwritten.has(counter) && !added.has(counter)) add(counter);
  }
  return batch;
}

/** The time at which usage counts. */
export function timeIn(counter: QuotaCounter, now: number): number {
  return inPeriod(counter, counter.period.testTime ?? now);
}

function inPeriod({ period: { periodStart, periodEnd } }: QuotaCounter, time: number): number {
  return Math.max(periodStart, Math.min(time, periodEnd - 1));
}

/**
 * Writes usage, and publishes holds under the name of the writer. Counters of a deleted subscription are dropped.
 * Usage is counted only if the batch is new; the totals of its counters are returned in any case. An estimate that other
 * nodes have counted meanwhile, because this one was cut off or frozen, is not counted again.
 */
export async function writeUsage(
  transaction: WriteTransaction,
  batch: UnwrittenUsage[],
  isNew: boolean,
  writer: { name: string; now: number },
): Promise<CounterTotal[]> {
  if (isNew) await findOvercounted(transaction, batch, writer.name);
  const changes: CounterChange[] = [];
  const holds: PublishedHold[] = [];
  for (const item of batch) {
    const { counter, taken, published, takenOn, time } = item;
    const { meter, period } = counter;
    const { subscriptionSeq, periodStart } = period;
    if (published) holds.push({ subscriptionSeq, periodStart, meter, ...published, usedOn: timeIn(counter, takenOn) });
    if (!taken) continue;
    // An addition of zero returns the total of a counter.
    const hours = new Map<number, Amount>();
    const earlier = isNew ? taken.earlier : [];
    // Usage at several times of a test bucket is counted whole.
    const covered = !isNew || earlier.length > 0 ? 0n : smaller(item.overcounted, taken.used);
    item.overcounted -= covered;
    const consumed = isNew ? taken.used - covered : 0n;
    for (const each of earlier) addHour(hours, inPeriod(counter, each.time), each.amount);
    const rest = earlier.reduce((left, { amount }) => left - amount, consumed);
    if (rest > 0n) addHour(hours, time, rest);
    changes.push({ subscriptionSeq, periodStart, meter, events: 0, amount: 0n, consumed, hours });
  }
  if (holds.length > 0) await publishHolds(transaction, writer.name, holds, writer.now);
  return raiseExisting(transaction, changes);
}

const types: ColumnType[] = ["bigint", "bigint", "text"];

/** The row of an estimate is deleted when it is counted; see LostUsage. */
async function findOvercounted(transaction: WriteTransaction, batch: UnwrittenUsage[], writer: string): Promise<void> {
  // An attempt that was rolled back may have set it.
  for (const item of batch) item.overcounted = item.counter.overcounted;
  const expired = batch.filter((item) => item.expired > 0n);
  const keyOf = ({ counter: { meter, period } }: UnwrittenUsage) => [period.subscriptionSeq, period.periodStart, meter];
  const stored = new Set<string>();
  for (const { sql, parameters } of transaction.tablesOf(types, expired.map(keyOf))) {
    const rows = await transaction.all<{ subscription_seq: number; period_start: number; meter: string }>(
      `SELECT subscription_seq, period_start, meter FROM quota_holds WHERE writer = ? AND (subscription_seq, period_start, meter)
         IN (SELECT column1, column2, column3 FROM ${sql} AS expired)${transaction.locksRows ? " FOR UPDATE" : ""}`,
      [writer, ...parameters],
    );
    for (const row of rows) stored.add(JSON.stringify([row.subscription_seq, row.period_start, row.meter]));
  }
  for (const item of expired) if (!stored.has(JSON.stringify(keyOf(item)))) item.overcounted += item.expired;
}

function smaller(one: Amount, other: Amount): Amount {
  return one < other ? one : other;
}
