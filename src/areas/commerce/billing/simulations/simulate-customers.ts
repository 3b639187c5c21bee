import type { Act } from "../../../../core/access.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { periodAt } from "../../../../lib/time/calendar.ts";
import type { History } from "../../../../platform/storage/history.ts";
import type { MemoryTransaction, Reads, Storage } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { plansWithSeqs } from "../../plans/plans.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { findCustomer, presentBuyer } from "../customers/customers.ts";
import type { InvoiceRow } from "../invoices/invoice-store.ts";
import { behaviorOf, taxLines, taxTerms } from "../invoices/taxes.ts";
import { invoiceLinesOf } from "../plan-terms/lines.ts";
import {
  type BillingSegmentRow,
  billingSegmentsOf,
  segmentKindAt,
  segmentTermsOf,
  termsAt,
} from "../plan-terms/segments.ts";
import { precisions, type SimulationInput } from "../schemas/simulation-schema.ts";
import { profileOf } from "../settings/settings.ts";
import { reachedIn } from "./reached-limits.ts";
import { type ReplayedCustomer, replayedBill } from "./replayed-bill.ts";
import {
  invoicedSums,
  noSums,
  type SimulatedSubscription,
  type Span,
  type Sums,
  simulatedBill,
  type TaxesOn,
} from "./simulated-bill.ts";
import { changeMeters, dependsOnOrder, type SimulatedTerms, simulatedTerms, withTerms } from "./simulated-terms.ts";
import { type Precision, usageInOrder } from "./usage-in-order.ts";

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
  subscriptions: SimulatedSubscription[];
  changed: SimulatedSubscription[];
  /** The usage in its order, if that matters, since the first period. */
  inOrder: (ReplayedCustomer & { precision: Precision }) | undefined;
  before: Billed;
}

type Billed = Awaited<ReturnType<typeof replayedBill>>;

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
        (each, index) => each.row.has_credits === 1 || dependsOnOrder(subscriptions[index]!.segments, each.segments),
      );
      const inOrder = isOrdered
        ? await history.read((reads) => replayed(reads, book, { act, bucket, key, span: input }, subscriptions))
        : undefined;
      const before = await billOf(book, inOrder, subscriptions, input);
      customers.push({ key, subscriptions, changed, inOrder, before });
      if (slice.isOver) await slice.next();
    }
    await changeMeters(book, input);
    for (const { key, subscriptions, changed, inOrder, before } of customers) {
      const { sums, isExact } = before;
      const after = await billOf(book, inOrder, changed, input);
      const invoiced = subscriptions.map((each) => invoicedSums(each, input));
      simulated.push({
        key,
        before: sums,
        after: after.sums,
        invoiced: subscriptions.some(({ hasDrafts }) => hasDrafts) ? sums : added(invoiced),
        reached: await history.read((reads) => reachedIn(reads, book, changed, input)),
        capped: after.cappedOn,
        // What is not stored is at best as precise as a day.
        precision: changed.some(isChanged) && !(isExact && after.isExact) ? "day" : (inOrder?.precision ?? "exact"),
      });
      if (slice.isOver) await slice.next();
    }
    return { simulated, missing: await missingIn(book, terms, input) };
  };
  return onBook(storage, owners, work, history);
}

async function subscriptionsOf(
  book: MemoryTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  input: SimulationInput,
): Promise<SimulatedSubscription[]> {
  const ids = await book.all<{ id: string }>(
    "SELECT id FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? ORDER BY seq",
    [bucket.seq, customerKey],
  );
  const profile = await profileOf(book, act.account.seq);
  const found: SimulatedSubscription[] = [];
  for (const { id } of ids) {
    const subscription = await findSubscription(book, bucket, id);
    const { row } = subscription;
    const stored = await billingSegmentsOf(book, row.seq);
    const segments = stored.length > 0 ? stored : await unbilledSegments(book, subscription, input);
    const all = await book.all<InvoiceRow>(
      "SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND status <> 'void' ORDER BY seq",
      [bucket.seq, id],
    );
    const invoices = all.filter(({ status }) => status !== "draft");
    const present = presentBuyer(await findCustomer(book, bucket, customerKey));
    const taxesOn: TaxesOn = (time, subtotal) => {
      const invoice = invoices.find((each) => each.created_on === time && each.corrects_id === null);
      if (!profile) return [];
      const buyer = invoice?.buyer ? JSON.parse(invoice.buyer) : present;
      const terms = taxTerms(profile, behaviorOf(invoice, profile), buyer);
      const rates = invoice && ratesOf(invoice);
      return taxLines(rates ? { ...terms, rates } : terms, subtotal, time);
    };
    const hasDrafts = invoices.length < all.length;
    found.push({ row, segments, former: segments, invoices, hasDrafts, taxesOn, formerly: new Map() });
  }
  return found;
}

/** Reads the usage of a customer since the first of its periods that ends after the start of a simulation. */
async function replayed(
  reads: Reads,
  book: Reads,
  customer: Omit<ReplayedCustomer, "usage" | "since">,
  subscriptions: SimulatedSubscription[],
): Promise<KnownCustomer["inOrder"]> {
  const { from } = customer.span;
  const starts = subscriptions.flatMap(({ segments }) => segments.filter(({ period_end }) => period_end > from));
  const since = Math.min(from, ...starts.map(({ period_start }) => period_start));
  const all: Awaited<ReturnType<typeof usageInOrder>>[] = [];
  for (const { row } of subscriptions) all.push(await usageInOrder(reads, book, customer.bucket, row.seq, since));
  return {
    ...customer,
    since,
    usage: all.flatMap(({ usage }) => usage).sort((one, other) => one.arrivedOn - other.arrivedOn),
    precision: precisions.findLast((each) => all.some(({ precision }) => precision === each)) ?? "exact",
  };
}

/** The periods of a subscription without a price, which billing does not know, under the plans that it had. */
async function unbilledSegments(
  book: Reads,
  subscription: Subscription,
  { from, to }: SimulationInput,
): Promise<BillingSegmentRow[]> {
  const { seq, quota_reset_anchor, renewal_strategy, created_on } = subscription.row;
  const segments: BillingSegmentRow[] = [];
  const changes = await book.all<RowOf<"subscription_history">>(
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

function isConcerned(segments: BillingSegmentRow[], terms: SimulatedTerms): boolean {
  return segments.some((segment) => segmentTermsOf(segment).plans.some(({ seq }) => terms.has(seq)));
}

const isChanged = ({ segments, former }: SimulatedSubscription) =>
  segments.some(({ terms }, index) => terms !== former[index]!.terms);

async function billOf(
  book: MemoryTransaction,
  inOrder: ReplayedCustomer | undefined,
  subscriptions: SimulatedSubscription[],
  span: Span,
): Promise<Billed> {
  if (inOrder) return replayedBill(book, inOrder, subscriptions);
  const sums: Map<string, Sums>[] = [];
  for (const subscription of subscriptions) sums.push(await simulatedBill(book, subscription, span));
  return { sums: added(sums), cappedOn: new Map(), isExact: true };
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
