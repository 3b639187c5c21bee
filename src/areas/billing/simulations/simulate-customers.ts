import type { Act } from "../../../core/access.ts";
import { amountOf } from "../../../lib/amount.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import { periodAt } from "../../../lib/time/calendar.ts";
import type { MemoryTransaction, Reads, Storage } from "../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import { allInvoicesOf, type InvoiceRow } from "../invoices/invoice-store.ts";
import { behaviorOf, taxLines, taxTerms } from "../invoices/taxes.ts";
import { invoiceLinesOf } from "../plan-terms/lines.ts";
import { termsAt } from "../plan-terms/plan-terms.ts";
import { type BillingSegmentRow, billingSegmentsOf } from "../plan-terms/segment-store.ts";
import { segmentKindAt, segmentTermsOf } from "../plan-terms/segments.ts";
import { hasPrepaidMeters, pricedMeters } from "../plan-terms/terms.ts";
import type { SimulationInput } from "../schemas/simulation-schema.ts";
import { profileOf } from "../settings/settings.ts";
import {
  invoicedSums,
  isWithin,
  noSums,
  type SimulatedSubscription,
  type Sums,
  simulatedBill,
  type TaxesOn,
} from "./simulated-bill.ts";
import { type SimulatedTerms, simulatedTerms, withTerms } from "./simulated-terms.ts";
import { reachedOn } from "./simulation-store.ts";

/** What a customer was and would have been billed, by currency. */
export interface SimulatedCustomer {
  key: string;
  before: Map<string, Sums>;
  after: Map<string, Sums>;
  invoiced: Map<string, Sums>;
  /** When usage would have reached a maximum that blocks, by meter. */
  reached: Map<string, number>;
}

export interface SimulatedPage {
  simulated: SimulatedCustomer[];
  leftOut: number;
  /** Deleted subscriptions, with what was invoiced to them. */
  missing: { subscriptions: number; invoiced: [currency: string, amount: bigint][] };
}

/** Computes customers in copies in memory. Those whose amounts depend on the order of usage have no result. */
export async function simulateCustomers(
  storage: Storage,
  act: Act,
  bucket: MeteringBucket,
  input: SimulationInput,
  customerKeys: string[],
): Promise<SimulatedPage> {
  const planExternalIds = [...Object.keys(input.plans), ...(input.moves ?? []).map(({ to }) => to)];
  const simulated: SimulatedCustomer[] = [];
  let leftOut = 0;
  const missing = await onBook(storage, { act, bucket, customerKeys, planExternalIds }, async (book) => {
    // Before the meters of plans are changed in the book.
    const known = new Map<string, Awaited<ReturnType<typeof subscriptionsOf>>>();
    for (const key of customerKeys) known.set(key, await subscriptionsOf(book, bucket, key, input));
    const before = new Map<string, Map<string, Sums>>();
    const slice = new Slice();
    for (const [key, subscriptions] of known) {
      before.set(key, await billOf(book, act, bucket, key, subscriptions, input));
      if (slice.isOver) await slice.next();
    }
    const terms = await simulatedTerms(book, input);
    for (const [key, subscriptions] of known) {
      if (slice.isOver) await slice.next();
      if (terms.size > 0 && !subscriptions.some(({ segments }) => isConcerned(segments, terms))) continue;
      const changed = subscriptions.map((each) => withNewTerms(each, terms));
      if (changed.includes(undefined)) {
        leftOut += 1;
        continue;
      }
      const invoiced = subscriptions.map((each) => invoicedSums(each, input));
      simulated.push({
        key,
        before: before.get(key)!,
        after: await billOf(book, act, bucket, key, changed as KnownSubscription[], input),
        invoiced: subscriptions.some(({ hasDrafts }) => hasDrafts) ? before.get(key)! : added(invoiced),
        reached: await reachedIn(storage.reads, book, changed as KnownSubscription[], input),
      });
    }
    return missingIn(book, terms, input);
  });
  return { simulated, leftOut, missing };
}

interface KnownSubscription extends SimulatedSubscription {
  /** Whether credit, caps or changes that are not stored decide what it was billed. */
  dependsOnOrder: boolean;
  /** Whether an invoice still waits for usage. */
  hasDrafts: boolean;
}

async function subscriptionsOf(
  book: MemoryTransaction,
  bucket: MeteringBucket,
  customerKey: string,
  input: SimulationInput,
): Promise<KnownSubscription[]> {
  const ids = await book.all<{ id: string }>(
    "SELECT id FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? ORDER BY seq",
    [bucket.seq, customerKey],
  );
  const found: KnownSubscription[] = [];
  for (const { id } of ids) {
    const subscription = await findSubscription(book, bucket, id);
    const { seq, quota_reset_anchor: anchor, has_credits } = subscription.row;
    const stored = await billingSegmentsOf(book, seq);
    const segments = stored.length > 0 ? stored : await unbilledSegments(book, subscription, input);
    const all = await allInvoicesOf(book, bucket.seq, id);
    const invoices = await invoicedTo(book, bucket, id);
    const isChanged = stored.length === 0 && (await hasHistory(book, seq));
    const hasDrafts = all.some(({ status }) => status === "draft");
    found.push({
      seq,
      anchor,
      segments,
      invoices,
      byTime: new Map(),
      dependsOnOrder: has_credits === 1 || isChanged,
      hasDrafts,
    });
  }
  return found;
}

/** Finalized invoices and their credit notes. */
function invoicedTo(book: Reads, bucket: MeteringBucket, id: string): Promise<InvoiceRow[]> {
  return book.all(
    "SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND status NOT IN ('draft', 'void') ORDER BY seq",
    [bucket.seq, id],
  );
}

async function hasHistory(book: Reads, seq: number): Promise<boolean> {
  return (await book.one("SELECT 1 FROM subscription_history WHERE subscription_seq = ?", [seq])) !== undefined;
}

/** The periods of a subscription without a price, which billing does not know. */
async function unbilledSegments(
  book: Reads,
  subscription: Subscription,
  { from, to }: SimulationInput,
): Promise<BillingSegmentRow[]> {
  const { seq, quota_reset_anchor, renewal_strategy, created_on } = subscription.row;
  const segments: BillingSegmentRow[] = [];
  for (let at = Math.max(from, created_on); at < to; ) {
    const period = periodAt(quota_reset_anchor, renewal_strategy as "monthly" | "yearly", at);
    const starts_on = Math.max(period.start, created_on);
    segments.push({
      // No mark has it.
      seq: -1 - segments.length,
      subscription_seq: seq,
      kind: segmentKindAt(subscription, starts_on),
      period_start: period.start,
      period_end: period.end,
      starts_on,
      ends_on: period.end,
      terms: JSON.stringify(await termsAt(book, subscription, period.start, starts_on, undefined)),
      billed: "{}",
    });
    at = period.end;
  }
  return segments;
}

function isConcerned(segments: BillingSegmentRow[], terms: SimulatedTerms): boolean {
  return segments.some((segment) => segmentTermsOf(segment).plans.some(({ seq }) => terms.has(seq)));
}

/** Undefined if what it would be billed depends on the order of usage. */
function withNewTerms(subscription: KnownSubscription, terms: SimulatedTerms): KnownSubscription | undefined {
  const segments: BillingSegmentRow[] = [];
  for (const [index, before] of subscription.segments.entries()) {
    const [former, next] = [subscription.segments[index - 1], subscription.segments[index + 1]];
    const isWithinPeriod = [former, next].some((each) => each?.period_start === before.period_start);
    const segment = withTerms(before, terms, { isWithinPeriod });
    if (!segment || subscription.dependsOnOrder) return undefined;
    const after = segmentTermsOf(segment);
    const hasRollover = after.plans.some(({ rollover }) => Object.keys(rollover ?? {}).length > 0);
    if (hasRollover || hasPrepaidMeters(after)) return undefined;
    // The usage before a segment is stored for meters that had a price.
    const marked = pricedMeters(segmentTermsOf(before));
    if (isWithinPeriod && pricedMeters(after).some((meter) => !marked.includes(meter))) return undefined;
    segments.push(segment);
  }
  return { ...subscription, segments };
}

async function billOf(
  book: Reads,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  subscriptions: SimulatedSubscription[],
  span: SimulationInput,
): Promise<Map<string, Sums>> {
  const profile = await profileOf(book, act.account.seq);
  const present = presentBuyer(await findCustomer(book, bucket, customerKey));
  const sums: Map<string, Sums>[] = [];
  for (const subscription of subscriptions) {
    const taxesOn: TaxesOn = (time, subtotal) => {
      const invoice = subscription.invoices.find((each) => each.created_on === time && each.corrects_id === null);
      if (!profile) return [];
      const buyer = invoice?.buyer ? JSON.parse(invoice.buyer) : present;
      const terms = taxTerms(profile, behaviorOf(invoice, profile), buyer);
      const rates = invoice && ratesOf(invoice);
      return taxLines(rates ? { ...terms, rates } : terms, subtotal, time);
    };
    sums.push(await simulatedBill(book, subscription, span, taxesOn));
  }
  return added(sums);
}

/** The tax rates of an invoice, which may have been others than today. Undefined if it has no taxes. */
function ratesOf(invoice: InvoiceRow) {
  const rates = invoiceLinesOf(invoice).flatMap(({ kind, description }) => {
    const [, name, percentage] = /^(?:Without )?(.*) (\S+) %$/.exec(description ?? "") ?? [];
    return kind === "tax" && name !== undefined ? [{ name, percentage: percentage! }] : [];
  });
  return rates.length > 0 ? rates : undefined;
}

function added(all: Map<string, Sums>[]): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const [currency, more] of all.flatMap((each) => [...each])) {
    const sum = sums.get(currency) ?? noSums();
    for (const name of Object.keys(sum) as (keyof Sums)[]) sum[name] += more[name];
    sums.set(currency, sum);
  }
  return sums;
}

/** The first time at which usage would have reached a maximum beyond which it has no price. */
async function reachedIn(
  reads: Reads,
  book: Reads,
  subscriptions: SimulatedSubscription[],
  span: SimulationInput,
): Promise<Map<string, number>> {
  const reached = new Map<string, number>();
  for (const { seq, segments } of subscriptions)
    for (const [index, segment] of segments.entries()) {
      const isLast = segments[index + 1]?.period_start !== segment.period_start;
      if (!isLast || segment.kind === "idle" || !isWithin(segment, span)) continue;
      const terms = segmentTermsOf(segment);
      const priced = pricedMeters(terms);
      const used = await usedInPeriod(book, seq, segment.period_start);
      const max = new Map<string, bigint>();
      for (const { meters } of terms.plans)
        for (const [meter, limit] of Object.entries(meters))
          max.set(meter, (max.get(meter) ?? 0n) + amountOf(limit.max)!);
      for (const [meter, most] of max) {
        if (priced.includes(meter) || (used.get(meter) ?? 0n) < most || !used.has(meter)) continue;
        const on = await reachedOn(reads, seq, segment.period_start, meter, most);
        if (on !== undefined && on < (reached.get(meter) ?? Number.POSITIVE_INFINITY)) reached.set(meter, on);
      }
    }
  return reached;
}

/** Subscriptions that are deleted, of the customers of a book. */
async function missingIn(book: Reads, terms: SimulatedTerms, { from, to }: SimulationInput) {
  const planIds = await book.all<{ id: string; seq: number }>("SELECT id, seq FROM plans", []);
  const concerned = new Set(planIds.filter(({ seq }) => terms.has(seq)).map(({ id }) => id));
  const invoices = await book.all<InvoiceRow>(
    `SELECT * FROM invoices WHERE corrects_id IS NULL AND status IN ('open', 'paid', 'uncollectible')
       AND created_on >= ? AND created_on <= ? AND subscription_id IS NOT NULL
       AND subscription_id NOT IN (SELECT id FROM subscriptions)`,
    [from, to],
  );
  const missing = invoices.filter(
    (invoice) => terms.size === 0 || invoiceLinesOf(invoice).some(({ planId }) => concerned.has(planId!)),
  );
  return {
    subscriptions: new Set(missing.map((invoice) => invoice.subscription_id)).size,
    invoiced: missing.map(({ currency, total }): [string, bigint] => [currency, BigInt(total)]),
  };
}
