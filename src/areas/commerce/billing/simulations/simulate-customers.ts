import type { Act } from "../../../../core/access.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { periodAt } from "../../../../lib/time/calendar.ts";
import type { History } from "../../../../platform/storage/history.ts";
import type { MemoryTransaction, Reads, Storage } from "../../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { plansWithSeqs } from "../../plans/plans.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import { allInvoicesOf, type InvoiceRow } from "../invoices/invoice-store.ts";
import { behaviorOf, taxLines, taxTerms } from "../invoices/taxes.ts";
import { invoiceLinesOf } from "../plan-terms/lines.ts";
import {
  type BillingSegmentRow,
  billingSegmentsOf,
  pricedMeters,
  segmentKindAt,
  segmentTermsOf,
  termsAt,
} from "../plan-terms/segments.ts";
import { precisions, type SimulationInput } from "../schemas/simulation-schema.ts";
import { profileOf } from "../settings/settings.ts";
import { type ReplayedSubscription, replayedBill } from "./replayed-bill.ts";
import {
  invoicedSums,
  isWithin,
  maximumsOf,
  noSums,
  type SimulatedSubscription,
  type Sums,
  simulatedBill,
  type TaxesOn,
} from "./simulated-bill.ts";
import { changeMeters, dependsOnOrder, type SimulatedTerms, simulatedTerms, withTerms } from "./simulated-terms.ts";
import { reachedOn } from "./simulation-store.ts";
import { type Precision, type UsedAmount, usageInOrder } from "./usage-in-order.ts";

/** What a customer was and would have been billed, by currency. */
export interface SimulatedCustomer {
  key: string;
  before: Map<string, Sums>;
  after: Map<string, Sums>;
  invoiced: Map<string, Sums>;
  /** When usage would have reached a maximum that blocks, by meter. */
  reached: Map<string, number>;
  /** When it would have reached a cap. */
  capped: Map<string, number>;
  precision: Precision;
}

export interface SimulatedPage {
  simulated: SimulatedCustomer[];
  /** Deleted subscriptions, with what was invoiced to them. */
  missing: { subscriptions: number; invoiced: [currency: string, amount: bigint][] };
}

/** A customer of a page, as it was and would have been. */
interface KnownCustomer {
  key: string;
  subscriptions: KnownSubscription[];
  changed: KnownSubscription[];
  /** The usage in its order, if that matters, since the first period. */
  inOrder: { usage: UsedAmount[]; precision: Precision; since: number } | undefined;
}

/** Computes customers in copies in memory, from reads that may be some seconds old. */
export async function simulateCustomers(
  storage: Storage,
  history: History,
  act: Act,
  bucket: MeteringBucket,
  input: SimulationInput,
  customerKeys: string[],
): Promise<SimulatedPage> {
  const planExternalIds = [...Object.keys(input.plans), ...(input.moves ?? []).map(({ to }) => to)];
  const owners = { act, bucket, customerKeys, planExternalIds };
  const work = async (book: MemoryTransaction) => {
    const simulated: SimulatedCustomer[] = [];
    const slice = new Slice();
    const terms = await simulatedTerms(book, input);
    const customers: KnownCustomer[] = [];
    for (const key of customerKeys) {
      const subscriptions = await subscriptionsOf(book, act, bucket, key, input);
      if (terms.size > 0 && !subscriptions.some(({ segments }) => isConcerned(segments, terms))) continue;
      const changed = subscriptions.map((each) => ({
        ...each,
        segments: each.segments.map((segment) => withTerms(segment, terms, input)),
      }));
      const isOrdered = changed.some(
        (each, index) => each.hasCredits || dependsOnOrder(subscriptions[index]!.segments, each.segments),
      );
      const inOrder = isOrdered
        ? await history.read((reads) => usageOf(reads, book, bucket, subscriptions, input))
        : undefined;
      customers.push({ key, subscriptions, changed, inOrder });
      if (slice.isOver) await slice.next();
    }
    const before: Billed[] = [];
    for (const customer of customers) {
      before.push(await billOf(book, act, bucket, customer, customer.subscriptions, input));
      if (slice.isOver) await slice.next();
    }
    await changeMeters(book, input);
    for (const [index, customer] of customers.entries()) {
      const { key, subscriptions, changed, inOrder } = customer;
      const { sums } = before[index]!;
      const after = await billOf(book, act, bucket, customer, changed, input);
      const invoiced = subscriptions.map((each) => invoicedSums(each, input));
      simulated.push({
        key,
        before: sums,
        after: after.sums,
        invoiced: subscriptions.some(({ hasDrafts }) => hasDrafts) ? sums : added(invoiced),
        reached: await history.read((reads) => reachedIn(reads, book, changed, input)),
        capped: after.cappedOn,
        precision: inOrder?.precision ?? "exact",
      });
      if (slice.isOver) await slice.next();
    }
    return { simulated, missing: await missingIn(book, terms, input) };
  };
  return onBook(storage, owners, work, history);
}

interface KnownSubscription extends ReplayedSubscription {
  /** Whether grants or caps decide what it was billed. */
  hasCredits: boolean;
  /** Whether an invoice still waits for usage. */
  hasDrafts: boolean;
}

async function subscriptionsOf(
  book: MemoryTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  input: SimulationInput,
): Promise<KnownSubscription[]> {
  const ids = await book.all<{ id: string }>(
    "SELECT id FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? ORDER BY seq",
    [bucket.seq, customerKey],
  );
  const profile = await profileOf(book, act.account.seq);
  const found: KnownSubscription[] = [];
  for (const { id } of ids) {
    const subscription = await findSubscription(book, bucket, id);
    const { row } = subscription;
    const stored = await billingSegmentsOf(book, row.seq);
    const segments = stored.length > 0 ? stored : await unbilledSegments(book, subscription, input);
    const all = await allInvoicesOf(book, bucket.seq, id);
    const invoices = await invoicedTo(book, bucket, id);
    const present = presentBuyer(await findCustomer(book, bucket, customerKey));
    const taxesOn: TaxesOn = (time, subtotal) => {
      const invoice = invoices.find((each) => each.created_on === time && each.corrects_id === null);
      if (!profile) return [];
      const buyer = invoice?.buyer ? JSON.parse(invoice.buyer) : present;
      const terms = taxTerms(profile, behaviorOf(invoice, profile), buyer);
      const rates = invoice && ratesOf(invoice);
      return taxLines(rates ? { ...terms, rates } : terms, subtotal, time);
    };
    found.push({
      ...{ seq: row.seq, row, anchor: row.quota_reset_anchor, invoices, formerly: new Map(), taxesOn },
      ...{ segments, former: segments, hasCredits: row.has_credits === 1 },
      hasDrafts: all.some(({ status }) => status === "draft"),
    });
  }
  return found;
}

/** The usage of a customer since the first of its periods that ends after the start of a simulation. */
async function usageOf(
  reads: Reads,
  book: Reads,
  bucket: MeteringBucket,
  subscriptions: KnownSubscription[],
  { from }: SimulationInput,
): Promise<KnownCustomer["inOrder"]> {
  const starts = subscriptions.flatMap(({ segments }) => segments.filter(({ period_end }) => period_end > from));
  const since = Math.min(from, ...starts.map(({ period_start }) => period_start));
  const all: Awaited<ReturnType<typeof usageInOrder>>[] = [];
  for (const { seq } of subscriptions)
    all.push(await usageInOrder(reads, book, seq, since, bucket.test_clock !== null));
  return {
    since,
    usage: all.flatMap(({ usage }) => usage).sort((one, other) => one.arrivedOn - other.arrivedOn),
    precision: precisions.findLast((each) => all.some(({ precision }) => precision === each)) ?? "exact",
  };
}

/** Finalized invoices and their credit notes. */
function invoicedTo(book: Reads, bucket: MeteringBucket, id: string): Promise<InvoiceRow[]> {
  return book.all(
    "SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND status NOT IN ('draft', 'void') ORDER BY seq",
    [bucket.seq, id],
  );
}

/** The periods of a subscription without a price, which billing does not know, under the plans that it had. */
async function unbilledSegments(
  book: Reads,
  subscription: Subscription,
  { from, to }: SimulationInput,
): Promise<BillingSegmentRow[]> {
  const { seq, quota_reset_anchor, renewal_strategy, created_on } = subscription.row;
  const segments: BillingSegmentRow[] = [];
  const changes = await book.all<Former>(
    "SELECT * FROM subscription_history WHERE subscription_seq = ? ORDER BY valid_until",
    [seq],
  );
  for (let at = Math.max(from, created_on); at < to; ) {
    const period = periodAt(quota_reset_anchor, renewal_strategy as "monthly" | "yearly", at);
    const starts_on = segments.length === 0 ? Math.max(period.start, created_on) : at;
    const former = changes.find(({ valid_until }) => valid_until > starts_on);
    const then = former
      ? {
          row: { ...subscription.row, allowance_period: former.allowance_period, allowance: former.allowance },
          plans: await plansWithSeqs(book, JSON.parse(former.plan_seqs)),
        }
      : subscription;
    const ends_on = Math.min(period.end, former?.valid_until ?? period.end);
    segments.push({
      // No mark has it.
      seq: -1 - segments.length,
      subscription_seq: seq,
      kind: segmentKindAt(then, starts_on),
      period_start: period.start,
      period_end: period.end,
      starts_on,
      ends_on,
      terms: JSON.stringify(await termsAt(book, then, period.start, starts_on, undefined)),
      billed: "{}",
    });
    at = ends_on;
  }
  return segments;
}

interface Former {
  valid_until: number;
  plan_seqs: string;
  allowance_period: number | null;
  allowance: string | null;
}

function isConcerned(segments: BillingSegmentRow[], terms: SimulatedTerms): boolean {
  return segments.some((segment) => segmentTermsOf(segment).plans.some(({ seq }) => terms.has(seq)));
}

interface Billed {
  sums: Map<string, Sums>;
  /** When a cap would have been reached, by meter. */
  cappedOn: Map<string, number>;
}

async function billOf(
  book: MemoryTransaction,
  act: Act,
  bucket: MeteringBucket,
  { key, inOrder }: KnownCustomer,
  subscriptions: KnownSubscription[],
  span: SimulationInput,
): Promise<Billed> {
  if (inOrder) return replayedBill(book, act, bucket, key, subscriptions, inOrder.usage, inOrder.since, span);
  const sums: Map<string, Sums>[] = [];
  for (const subscription of subscriptions)
    sums.push(await simulatedBill(book, subscription, span, subscription.taxesOn));
  return { sums: added(sums), cappedOn: new Map() };
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
      for (const [meter, most] of maximumsOf(terms)) {
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
