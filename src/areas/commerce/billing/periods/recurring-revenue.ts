import { minorDigits } from "../../../../lib/currencies.ts";
import { parsePrice, roundedQuotient, shareOfPrice } from "../../../../lib/money.ts";
import { Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import type { CsvCell } from "../../../../lib/text/csv.ts";
import { formatMinor } from "../../../../lib/text/minor-units.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { subscriptionSeqsAfter } from "../../subscriptions/subscriptions.ts";
import { type MonthRange, monthOf, monthsBefore, monthsIn, startOf } from "../invoices/revenue.ts";
import { billingSegmentsOf, type Terms } from "../plan-terms/segments.ts";
import { firstDueIn } from "./due.ts";

/** The fee of a plan of a subscription, in minor units a year: so monthly and yearly ones are added exactly. */
interface Fee {
  subscription_seq: number;
  plan_id: string;
  customer_key: string;
  currency: string;
  yearly: string;
}

const pageSize = 1000;
/** Subscriptions whose terms are in memory at the same time: they may be large. */
const segmentsAtOnce = 200;
const largeTerms = 20_000;
/** Steps of billing that fail delay the fees of a month for at most this long. */
const maxDelay = 24 * 60 * 60 * 1000;
const top = 10;

const nextMonth = (start: number): number => startOf(monthsBefore(monthOf(start), -1));

/**
 * The fees that are billed at a time, a page of subscriptions at a time. Trials do not count, nor do subscriptions that are paused,
 * unpaid or canceled; one that will be canceled counts until then.
 */
async function* feesAt(reads: Reads, bucketSeq: number, at: number, only?: number): AsyncGenerator<Fee[]> {
  const known = new Map<string, Omit<Fee, "subscription_seq" | "customer_key">[]>();
  for (let after = only === undefined ? 0 : only - 1; ; ) {
    const last = only ?? (await subscriptionSeqsAfter(reads, bucketSeq, after, segmentsAtOnce)).at(-1);
    if (last === undefined) return;
    const rows = await reads.all<{ seq: number; customer_key: string; terms: string }>(
      `SELECT subscriptions.seq, customer_key, terms FROM subscriptions
       JOIN billing_segments ON subscription_seq = subscriptions.seq
       WHERE bucket_seq = ? AND subscriptions.seq > ? AND subscriptions.seq <= ? AND status <> 'incomplete'
         AND (blocks_on IS NULL OR blocks_on > ?) AND kind = 'billed' AND starts_on <= ? AND (ends_on IS NULL OR ends_on > ?)
       ORDER BY subscriptions.seq`,
      [bucketSeq, after, last, at, at, at],
    );
    const fees: Fee[] = [];
    for (const { seq, customer_key, terms } of rows) {
      // Most subscriptions have the terms of others.
      const its = known.get(terms) ?? feesOf(JSON.parse(terms) as Terms);
      if (known.size < pageSize && terms.length < largeTerms) known.set(terms, its);
      for (const fee of its) fees.push({ subscription_seq: seq, customer_key, ...fee });
    }
    yield fees;
    if (only !== undefined) return;
    after = last;
    await yieldToEventLoop();
  }
}

function feesOf({ plans }: Terms) {
  return plans.flatMap(({ id, price }) => {
    if (!price) return [];
    const { currency, amount, interval } = price;
    const months = { numerator: interval === "year" ? 1n : 12n, denominator: 1n };
    const yearly = shareOfPrice(parsePrice(amount)!, months, minorDigits(currency)!);
    return yearly === 0n ? [] : [{ plan_id: id, currency, yearly: String(yearly) }];
  });
}

async function insertFees(transaction: WriteTransaction, bucketSeq: number, month: number, fees: Fee[]): Promise<void> {
  const rows = fees.map((fee) => ({ bucket_seq: bucketSeq, month, ...fee }));
  await transaction.insertNew("recurring_fees", rows, ["bucket_seq", "month", "subscription_seq", "plan_id"]);
}

/** Stores the fees of the months that have ended, of a subscription that is about to be deleted. */
export async function keepRecurringFees(
  transaction: WriteTransaction,
  { seq, recurring_on }: MeteringBucket,
  subscriptionSeq: number,
  now: number,
): Promise<void> {
  const [first] = await billingSegmentsOf(transaction, subscriptionSeq);
  if (!first) return;
  const stored = recurring_on === null ? 0 : startOf(monthsBefore(monthOf(recurring_on), 1));
  let month = Math.max(startOf(monthOf(first.starts_on)), stored);
  for (let end = nextMonth(month); end <= now; month = end, end = nextMonth(end))
    for await (const fees of feesAt(transaction, seq, end - 1, subscriptionSeq))
      await insertFees(transaction, seq, month, fees);
}

/**
 * Stores the fees of months that have ended, in pages, of buckets with the server's time. Any number of nodes may do so:
 * they store the same.
 */
export async function storeRecurringFees(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const { reads } = storage;
  const due = await reads.all<{ seq: number; recurring_on: number | null }>(
    `SELECT seq, recurring_on FROM metering_buckets
     WHERE test_clock IS NULL AND (recurring_on IS NULL OR recurring_on <= ?) ORDER BY seq`,
    [now],
  );
  for (const { seq, recurring_on } of due) {
    let end = recurring_on ?? nextMonth(startOf(monthOf((await firstSegmentIn(reads, seq)) ?? now)));
    for (; end <= now; end = nextMonth(end)) {
      // What ended with the month is known once its steps are done.
      if (now < end + maxDelay && (await firstDueIn(reads, seq, end - 1))) break;
      const month = startOf(monthsBefore(monthOf(end), 1));
      for await (const fees of feesAt(reads, seq, end - 1)) {
        if (signal?.aborted) return;
        if (fees.length > 0) await storage.write((transaction) => insertFees(transaction, seq, month, fees));
      }
    }
    await storage.write((transaction) =>
      transaction.run("UPDATE metering_buckets SET recurring_on = ? WHERE seq = ?", [end, seq]),
    );
  }
}

async function firstSegmentIn(reads: Reads, bucketSeq: number): Promise<number | undefined> {
  const row = await reads.one<{ first: number | null }>(
    `SELECT MIN(starts_on) AS first FROM billing_segments JOIN subscriptions ON subscriptions.seq = subscription_seq
     WHERE bucket_seq = ?`,
    [bucketSeq],
  );
  return row?.first ?? undefined;
}

/** The fees at the end of a month, or now: what is stored, and of a month that is not, what the segments have. */
async function* feesIn(reads: Reads, bucket: MeteringBucket, month: number, now: number): AsyncGenerator<Fee[]> {
  const kept = new Set<number>();
  for (let seq = 0, plan = ""; ; ) {
    const fees = await reads.all<Fee>(
      `SELECT subscription_seq, plan_id, customer_key, currency, yearly FROM recurring_fees
       WHERE bucket_seq = ? AND month = ? AND (subscription_seq, plan_id) > (?, ?) ORDER BY subscription_seq, plan_id LIMIT ?`,
      [bucket.seq, month, seq, plan, pageSize],
    );
    const last = fees.at(-1);
    if (!last) break;
    yield fees;
    [seq, plan] = [last.subscription_seq, last.plan_id];
    for (const { subscription_seq } of fees) kept.add(subscription_seq);
    await yieldToEventLoop();
  }
  const end = nextMonth(month);
  if ((bucket.recurring_on !== null && end < bucket.recurring_on) || month > now) return;
  for await (const fees of feesAt(reads, bucket.seq, Math.min(now, end - 1)))
    yield fees.filter(({ subscription_seq }) => !kept.has(subscription_seq));
}

interface Month {
  month: string;
  /** Of each customer that pays at its end or paid at its beginning, by currency and customer. */
  customers: Map<string, { currency: string; customerKey: string; before: bigint; after: bigint }>;
  /** By currency and plan. */
  plans: Map<string, { currency: string; planId: string; yearly: bigint }>;
}

async function* monthsOf(reads: Reads, bucket: MeteringBucket, from: string, to: string, now: number) {
  const slice = new Slice();
  let before: Month["customers"] = new Map();
  for (let month = monthsBefore(from, 1); month <= to; month = monthsBefore(month, -1)) {
    const customers: Month["customers"] = new Map();
    const plans: Month["plans"] = new Map();
    for (const [key, { currency, customerKey, after }] of before) {
      if (slice.isOver) await slice.next();
      if (after > 0n) customers.set(key, { currency, customerKey, before: after, after: 0n });
    }
    for await (const fees of feesIn(reads, bucket, startOf(month), now))
      for (const { currency, customer_key: customerKey, plan_id: planId, yearly } of fees) {
        if (slice.isOver) await slice.next();
        const amount = BigInt(yearly);
        const [ofCustomer, ofPlan] = [`${currency} ${customerKey}`, `${currency} ${planId}`];
        const customer = customers.get(ofCustomer);
        if (customer) customer.after += amount;
        else customers.set(ofCustomer, { currency, customerKey, before: 0n, after: amount });
        const plan = plans.get(ofPlan);
        if (plan) plan.yearly += amount;
        else plans.set(ofPlan, { currency, planId, yearly: amount });
      }
    // The month before the first one is only compared with.
    if (month >= from && startOf(month) <= now) yield { month, customers, plans } satisfies Month;
    before = customers;
  }
}

const money = (minor: bigint, currency: string) => formatMinor(minor, minorDigits(currency)!);
/** A twelfth of an amount of a year, rounded once. */
const monthly = (yearly: bigint): bigint => roundedQuotient(yearly, 12n);

/** Amounts of a month, rounded so that they add up to their rounded sum. */
function roundedParts(yearly: bigint[]): bigint[] {
  let exact = 0n;
  return yearly.map((part) => {
    const before = monthly(exact);
    exact += part;
    return monthly(exact) - before;
  });
}

const changes = ["new", "expansion", "contraction", "churn"] as const;

function changeOf(before: bigint, after: bigint): (typeof changes)[number] | "" {
  if (before === 0n) return "new";
  if (after === 0n) return "churn";
  return after > before ? "expansion" : after < before ? "contraction" : "";
}

interface MonthSums {
  /** What a month began with, and its changes. */
  parts: Record<"start" | (typeof changes)[number], bigint>;
  customers: number;
  /** Those who pay most at its end, the largest amount first. */
  largest: { customerKey: string; after: bigint }[];
}

/** The sums of a month by currency, in slices: a bucket may have any number of customers. */
async function summed(customers: Month["customers"], slice: Slice): Promise<[currency: string, MonthSums][]> {
  const all = new Map<string, MonthSums>();
  for (const { currency, customerKey, before, after } of customers.values()) {
    if (slice.isOver) await slice.next();
    let sums = all.get(currency);
    if (!sums) {
      sums = { parts: { start: 0n, new: 0n, expansion: 0n, contraction: 0n, churn: 0n }, customers: 0, largest: [] };
      all.set(currency, sums);
    }
    const { parts, largest } = sums;
    parts.start += before;
    const change = changeOf(before, after);
    if (change) parts[change] += after - before;
    if (after === 0n) continue;
    sums.customers += 1;
    const last = largest.at(-1);
    if (largest.length === top && last && after <= last.after) continue;
    const place = largest.findIndex((each) => each.after < after);
    largest.splice(place < 0 ? largest.length : place, 0, { customerKey, after });
    if (largest.length > top) largest.pop();
  }
  return [...all].sort(([one], [other]) => one.localeCompare(other));
}

/** The amounts of a month add up to what it ended with. */
function presentMonth(month: string, currency: string, { parts, customers }: MonthSums) {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const amounts = roundedParts(Object.values(parts)).map((part, index) => [names[index]!, money(part, currency)]);
  return {
    month,
    currency,
    ...(Object.fromEntries(amounts) as Record<keyof typeof parts, string>),
    end: money(monthly(Object.values(parts).reduce((sum, part) => sum + part)), currency),
    customers,
  };
}

/** The recurring revenue of each month with its changes, by plan, and the customers who pay most in the last one. */
export async function recurringRevenueOf(reads: Reads, bucket: MeteringBucket, range: MonthRange, now: number) {
  const { from, to } = monthsIn(range, now);
  const slice = new Slice();
  const months: ReturnType<typeof presentMonth>[] = [];
  const plans: { month: string; currency: string; planId: string; amount: string }[] = [];
  let topCustomers: { customerKey: string; currency: string; amount: string }[] = [];
  for await (const { month, customers, plans: ofMonth } of monthsOf(reads, bucket, from, to, now)) {
    topCustomers = [];
    for (const [currency, sums] of await summed(customers, slice)) {
      months.push(presentMonth(month, currency, sums));
      for (const { customerKey, after } of sums.largest)
        topCustomers.push({ customerKey, currency, amount: money(monthly(after), currency) });
      const ofCurrency = [...ofMonth.values()].filter((plan) => plan.currency === currency);
      for (const [index, part] of roundedParts(ofCurrency.map(({ yearly }) => yearly)).entries())
        plans.push({ month, currency, planId: ofCurrency[index]!.planId, amount: money(part, currency) });
    }
  }
  return { from, to, months, plans, topCustomers };
}

export const recurringColumns = ["month", "currency", "customerKey", "before", "amount", "change"];

/** A row for each customer, currency and month. */
export async function recurringRows(reads: Reads, bucket: MeteringBucket, range: MonthRange, now: number) {
  const { from, to } = monthsIn(range, now);
  const slice = new Slice();
  const rows: CsvCell[][] = [];
  for await (const { month, customers } of monthsOf(reads, bucket, from, to, now))
    for (const { currency, customerKey, before, after } of customers.values()) {
      if (slice.isOver) await slice.next();
      const [old, amount] = [before, after].map((yearly) => ({ decimal: money(monthly(yearly), currency) }));
      rows.push([month, currency, customerKey, old, amount, changeOf(before, after)]);
    }
  return rows;
}

export interface RecurringRevenue {
  currency: string;
  amount: string;
  subscriptions: number;
  trend: { month: string; amount: string }[];
}

/** The recurring revenue of buckets now, and at the end of each of the 11 months before, by currency. */
export async function recurringRevenue(reads: Reads, bucketSeqs: number[], now: number): Promise<RecurringRevenue[]> {
  const sums = new Map<string, { yearly: bigint; subscriptions: Set<number> }>();
  for (const seq of bucketSeqs)
    for await (const fees of feesAt(reads, seq, now))
      for (const { currency, yearly, subscription_seq } of fees) {
        const sum = sums.get(currency) ?? { yearly: 0n, subscriptions: new Set() };
        sum.subscriptions.add(subscription_seq);
        sums.set(currency, { ...sum, yearly: sum.yearly + BigInt(yearly) });
      }
  const months: { month: string; stored: Map<string, bigint> }[] = [];
  for (let ago = 11; ago > 0; ago -= 1) {
    const month = monthsBefore(monthOf(now), ago);
    months.push({ month, stored: await sumsIn(reads, bucketSeqs, startOf(month)) });
  }
  return [...sums]
    .map(([currency, { yearly, subscriptions }]) => ({
      currency,
      amount: money(monthly(yearly), currency),
      subscriptions: subscriptions.size,
      trend: months.map(({ month, stored }) => ({
        month,
        amount: money(monthly(stored.get(currency) ?? 0n), currency),
      })),
    }))
    .sort((one, other) => one.currency.localeCompare(other.currency));
}

async function sumsIn(reads: Reads, bucketSeqs: number[], month: number): Promise<Map<string, bigint>> {
  if (bucketSeqs.length === 0) return new Map();
  const rows = await reads.all<{ currency: string; yearly: string }>(
    `SELECT currency, CAST(SUM(CAST(yearly AS bigint)) AS text) AS yearly FROM recurring_fees
     WHERE bucket_seq IN (${bucketSeqs.map(() => "?").join()}) AND month = ? GROUP BY currency`,
    [...bucketSeqs, month],
  );
  return new Map(rows.map(({ currency, yearly }) => [currency, BigInt(yearly)]));
}
