import { type Act, systemAct } from "../../../../core/access.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import type { Amount } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { insertRow } from "../../../../platform/storage/query.ts";
import type { MemoryTransaction } from "../../../../platform/storage/storage.ts";
import { addToMarks, raiseMarks } from "../../metering/counters/usage-marks.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type BillingData, lateMilliseconds } from "../../subscriptions/state.ts";
import type { EntryRow, GrantRow } from "../credit-grants/grant-store.ts";
import { nextHour } from "../credit-grants/grants.ts";
import { type SpendPeriod, saveSpendPeriod, spendPeriodsOf } from "../credit-grants/use-store.ts";
import { readCaps } from "../customers/customers.ts";
import { payWithGrants } from "../invoices/payments.ts";
import { beyondCap, billUnderCaps } from "../periods/finalization.ts";
import { recordRollovers, settleRollovers } from "../periods/rollovers.ts";
import { type DraftLine, invoiceLinesOf, sumOf, totalOf } from "../plan-terms/lines.ts";
import {
  type BillingSegmentRow,
  currencyOf,
  hasPrepaidMeters,
  hasPricedMeters,
  pricedMeters,
  segmentTermsOf,
  type Terms,
} from "../plan-terms/segments.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { capOf, changeCap } from "../spending/spending.ts";
import { capReachedIn } from "./reached-limits.ts";
import {
  addLines,
  feesAt,
  returnedFees,
  type SimulatedSubscription,
  type Span,
  type Sums,
  segmentAt,
} from "./simulated-bill.ts";
import { proratedTerms } from "./simulated-terms.ts";
import { placeOf, type UsedAmount } from "./usage-in-order.ts";

/** A customer whose usage is in the order of its arrival since the first of its periods. */
export interface ReplayedCustomer {
  act: Act;
  bucket: MeteringBucket;
  key: string;
  usage: UsedAmount[];
  since: number;
  span: Span;
}

/** What happens at a time. What is due earlier at the same time has the lower order. */
interface Point {
  at: number;
  order?: number;
  run?: () => Promise<void>;
}

/**
 * Bills a customer again in its book: begins its segments, counts its usage in the order in which it was counted, and lets
 * grants and caps pay and limit it at the times at which they did, by the functions that bill. What it writes is taken back.
 */
export function replayedBill(
  book: MemoryTransaction,
  customer: ReplayedCustomer,
  subscriptions: SimulatedSubscription[],
): Promise<Pick<Replay, "sums" | "cappedOn" | "isExact">> {
  return book.undone(async () => {
    const replay = new Replay(book, customer, subscriptions);
    await replay.run();
    return replay;
  });
}

class Replay {
  readonly sums = new Map<string, Sums>();
  /** When a cap would have been reached first, by meter. */
  readonly cappedOn = new Map<string, number>();
  /** Whether it is exact also with other terms. */
  isExact = true;
  readonly #points: Point[] = [];
  #counted = 0;
  #now = 0;

  constructor(
    private readonly book: MemoryTransaction,
    private readonly customer: ReplayedCustomer,
    private readonly subscriptions: SimulatedSubscription[],
  ) {}

  async run(): Promise<void> {
    for (const { row } of this.subscriptions) await this.#removeUsage(row.seq);
    const fundings = await this.#grantAgain();
    this.#planComparisons(fundings);
    for (const subscription of this.subscriptions) this.#planSegments(subscription, fundings.size > 0);
    const slice = new Slice();
    for (;;) {
      // Few, and they are added while others run.
      const next = this.#points.reduce<Point | undefined>(
        (first, each) => (first && (first.at - each.at || (first.order ?? 0) - (each.order ?? 0)) <= 0 ? first : each),
        undefined,
      );
      if (!next) return;
      this.#points.splice(this.#points.indexOf(next), 1);
      await this.#settle(Math.max(next.at, this.#now));
      await next.run?.();
      if (slice.isOver) await slice.next();
    }
  }

  get #context(): BucketContext {
    const { act, bucket } = this.customer;
    return { transaction: this.book, act: systemAct(act, this.#now), bucket };
  }

  /** Removes what was counted and computed since the first period. */
  async #removeUsage(seq: number): Promise<void> {
    const { book } = this;
    const { since } = this.customer;
    await book.run("UPDATE subscriptions SET has_credits = 1 WHERE seq = ?", [seq]);
    for (const table of ["usage_counters", "segment_marks", "credit_uses", "billing_segments"])
      await book.run(`DELETE FROM ${table} WHERE subscription_seq = ? AND period_start >= ?`, [seq, since]);
    for (const spend of (await spendPeriodsOf(book, seq)).values())
      if (spend.periodStart >= since) await this.#planCaps(spend);
  }

  /** Begins with the first cap of a period. What is owed when it changes is computed again. */
  async #planCaps(spend: SpendPeriod): Promise<void> {
    const { book } = this;
    const { bucket, key } = this.customer;
    const { subscriptionSeq, periodStart, formerCaps } = spend;
    const none = { applied: 0n, threshold: 100 };
    if (!formerCaps) {
      this.isExact = false;
      return saveSpendPeriod(book, { ...spend, ...none });
    }
    const { segments } = this.subscriptions.find(({ row }) => row.seq === subscriptionSeq)!;
    const segment = segments.findLast(({ period_start }) => period_start === periodStart);
    if (!segment) return;
    const last = spend.isOver ? spend.cap : capOf(segment, await readCaps(book, bucket, key));
    const [first, ...rest] = [...formerCaps.map(({ cap }) => cap), last];
    await saveSpendPeriod(book, { ...spend, ...none, owed: 0n, writtenOff: 0n, isOver: true, cap: first! });
    for (const [index, cap] of rest.entries())
      this.#points.push({ at: formerCaps[index]!.until, order: 3, run: () => changeCap(book, spend, cap) });
  }

  /** Grants what was granted, but for what usage returned or left unused: that is computed again. Returns the fundings of its money. */
  async #grantAgain(): Promise<Set<string>> {
    const { book } = this;
    const { since, bucket, key } = this.customer;
    const ofCustomer = [bucket.seq, key];
    const sinceThen = [...ofCustomer, since];
    await book.run("DELETE FROM rollovers WHERE bucket_seq = ? AND customer_key = ? AND period_start >= ?", sinceThen);
    await book.run(
      `DELETE FROM grants WHERE bucket_seq = ? AND customer_key = ? AND created_on >= ? AND invoice_id IS NOT NULL
         AND currency IS NOT NULL AND reason LIKE 'Returned: %'`,
      sinceThen,
    );
    await book.run(
      `DELETE FROM grants WHERE bucket_seq = ? AND customer_key = ? AND rollover_seq IS NOT NULL
         AND rollover_seq NOT IN (SELECT seq FROM rollovers)`,
      ofCustomer,
    );
    const grants = await book.all<GrantRow>(
      "SELECT * FROM grants WHERE bucket_seq = ? AND customer_key = ?",
      ofCustomer,
    );
    for (const { seq, effective_on, created_on, ended_on, expires_on } of grants) {
      const entries = await book.all<EntryRow>("SELECT * FROM grant_entries WHERE grant_seq = ?", [seq]);
      // What an invoice of the first period took is taken again.
      const isBefore = (entry: EntryRow) =>
        entry.created_on < since || (entry.created_on === since && entry.invoice_id === null);
      const balance = entries
        .filter((entry) => !["consumed", "voided", "expired"].includes(entry.kind) || isBefore(entry))
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      const begins = Math.max(effective_on, created_on);
      const isOver = ended_on !== null && ended_on <= since;
      await book.run("UPDATE grants SET balance = ?, effective_on = ?, ended_on = ? WHERE seq = ?", [
        ...[String(balance > 0n ? balance : 0n), begins, isOver ? ended_on : null, seq],
      ]);
      const end = () => book.run("UPDATE grants SET ended_on = ? WHERE seq = ?", [ended_on, seq]);
      if (ended_on !== null && !isOver) this.#points.push({ at: ended_on, run: end });
      // What was used before a grant begins or expires is compared before.
      for (const time of [begins, expires_on ?? 0]) if (time > since) this.#points.push({ at: time - 1 });
    }
    return new Set(grants.flatMap(({ currency, funding }) => (currency === null ? [] : funding)));
  }

  /**
   * Usage is compared with credits each hour; on a test bucket, before its clock moves. Other points are enough, unless the
   * order within an hour decides what money pays for, or usage is late: after some weeks, credits do not pay for it.
   */
  #planComparisons(fundings: ReadonlySet<string>): void {
    const { usage, bucket } = this.customer;
    const isMixed = (terms: Terms) => hasPrepaidMeters(terms) && pricedMeters(terms).length > 1;
    const hasVolume = ({ plans }: Terms) => JSON.stringify(plans).includes('"volume"');
    const priced = this.subscriptions.filter(({ segments }) => segments.some(hasPricedMeters));
    const terms = priced.flatMap(({ segments }) => segments.map(segmentTermsOf));
    const isHourly = priced.length > 1 || terms.some(isMixed) || (fundings.size > 1 && terms.some(hasVolume));
    const compared = usage.filter(({ arrivedOn, periodEnd }) => isHourly || arrivedOn >= periodEnd);
    for (const at of new Set(compared.map(({ arrivedOn }) => arrivedOn)))
      this.#points.push({ at: bucket.test_clock === null ? nextHour(at) : at });
  }

  #planSegments(subscription: SimulatedSubscription, hasMoney: boolean): void {
    const { segments, invoices, row } = subscription;
    const { since, span, usage } = this.customer;
    const charged: BillingData["charged"] = {};
    const returned = returnedFees(invoices);
    const rows: BillingSegmentRow[] = [];
    // Usage of the periods that arrives after them is on the invoice of a later one.
    const last = usage.findLast(({ periodEnd }) => periodEnd <= span.to)?.arrivedOn ?? 0;
    for (const [index, segment] of segments.entries()) {
      if (segment.period_start < since) feesAt(subscription, index, charged, returned);
      else if (segment.starts_on <= span.to || (segments[index - 1]?.starts_on ?? 0) <= last) {
        const run = async () => {
          const { terms, used } = await this.#begin(subscription, index, rows);
          const fees = Object.entries(charged).filter(([, { until }]) => until > segment.starts_on);
          const charges = feesAt(subscription, index, charged, returned, terms && { terms, used });
          const lines = charges.map(({ line }) => line);
          // Money of grants that paid a fee is granted again as it was.
          if (hasMoney && fees.some(([seq, fee]) => charged[seq] !== fee)) this.isExact = false;
          await this.#invoice(subscription, index, lines);
        };
        // Units that were carried over expire then.
        this.#points.push({ at: segment.starts_on - 1 }, { at: segment.starts_on, order: 1, run });
      }
    }
    // Usage that arrives after a subscription has ended is on invoices of its own.
    let planned = 0;
    for (const { subscriptionSeq, arrivedOn, time } of usage) {
      const at = arrivedOn + lateMilliseconds;
      const ended = segmentAt(segments, at);
      if (subscriptionSeq !== row.seq || arrivedOn < planned || ended?.kind !== "idle") continue;
      if (arrivedOn < ended.starts_on || time > ended.starts_on) continue;
      planned = at;
      this.#points.push({ at, run: () => this.#finalize(subscription, [], at) });
    }
  }

  /** Begins a segment. Returns the terms before it, and what was used of its period. */
  async #begin(
    subscription: SimulatedSubscription,
    index: number,
    rows: BillingSegmentRow[],
  ): Promise<{ terms: Terms | undefined; used: ReadonlyMap<string, Amount> }> {
    const { book } = this;
    const { segments, former, row } = subscription;
    const [before, segment] = [segments[index - 1], segments[index]!];
    const isSamePeriod = before?.period_start === segment.period_start;
    const ended = before && segmentTermsOf(before);
    const used = await usedInPeriod(book, row.seq, segment.period_start);
    const terms = proratedTerms(segment, former[index]!, used);
    const { seq: _, ...values } = { ...segment, terms: JSON.stringify(terms), billed: "{}" };
    const stored = await insertRow(book, "billing_segments", values);
    rows[index] = stored;
    if (isSamePeriod || Math.max(segment.period_start, row.created_on) < segment.starts_on)
      await this.#mark(stored, new Set([...(isSamePeriod ? pricedMeters(ended!) : []), ...pricedMeters(terms)]));
    const last = rows[index - 1];
    if (!isSamePeriod && last?.kind === "billed" && segment.kind === "billed") this.#planRollover(subscription, last);
    return { terms: ended, used };
  }

  /** Marks what was used before a segment. Of usage of its first moment, that is what is counted by then. */
  async #mark(segment: BillingSegmentRow, meters: Iterable<string>): Promise<void> {
    const place = { subscriptionSeq: segment.subscription_seq, periodStart: segment.period_start };
    const counted = this.customer.usage
      .slice(0, this.#counted)
      .filter((each) => placeOf(each) === placeOf(place) && each.time <= segment.starts_on);
    const marks = [...meters].map((meter) => ({
      ...{ ...place, segmentSeq: segment.seq, time: segment.starts_on, meter, consumed: 0n },
      used: sumOf(counted.filter((each) => each.meter === meter)),
    }));
    await addToMarks(this.book, marks, { isLate: false });
  }

  /** Carries over what a period leaves unused once its fee is paid. */
  #planRollover({ row, invoices }: SimulatedSubscription, ended: BillingSegmentRow): void {
    const { period_start, period_end: at } = ended;
    const invoice = invoices.find(({ created_on, corrects_id }) => created_on === period_start && corrects_id === null);
    if (invoice && invoice.status !== "paid") return;
    // A fee of zero is paid.
    const plans = segmentTermsOf(ended).plans.filter(({ price }) => price !== null);
    const charged = Object.fromEntries(plans.map(({ seq }) => [seq, { amount: "0" }]));
    const own = { ...row, billing: JSON.stringify({ charged }) };
    const run = async () => {
      await recordRollovers(this.book, this.customer.bucket, { row: own, plans: [] }, { ...ended, ends_on: at });
      await settleRollovers(this.#context, row.id);
    };
    this.#points.push({ at: Math.max(at + lateMilliseconds, invoice?.paid_on ?? period_start), order: 2, run });
  }

  /** The invoice of what begins or ends with a segment waits for late usage. */
  async #invoice(subscription: SimulatedSubscription, index: number, lines: DraftLine[]): Promise<void> {
    const { segments } = subscription;
    const [before, { kind, period_start, starts_on: at }] = [segments[index - 1], segments[index]!];
    const ofPeriod = segments.slice(0, index).filter((each) => each.period_start === before?.period_start);
    const isRenewal = before?.kind !== "idle" && before?.period_start !== period_start;
    const run = () => this.#finalize(subscription, lines, at);
    if (ofPeriod.some(hasPricedMeters) && (kind === "idle" || isRenewal))
      this.#points.push({ at: at + lateMilliseconds, run });
    else if (lines.length > 0) await run();
  }

  /** Bills usage, takes money of grants, and adds the lines of the invoice. */
  async #finalize(subscription: SimulatedSubscription, lines: DraftLine[], createdOn: number): Promise<void> {
    const { book, customer } = this;
    const { bucket, key, span } = customer;
    const { segments, row, taxesOn } = subscription;
    const begun = segments.filter(({ starts_on }) => starts_on <= createdOn);
    const currency = begun.map((each) => currencyOf(segmentTermsOf(each))).findLast(Boolean);
    if (currency === undefined) return;
    // Before the invoice takes money, usage does: also usage that costs more since the segment began.
    await settleCredits(this.#context, key, { billedSeq: row.seq });
    const withCredits = { row: { ...row, has_credits: 1 }, plans: [] };
    const overage = await billUnderCaps(book, bucket, withCredits, this.#now, currency);
    const capped = overage.lines.find(({ description }) => description === beyondCap);
    const reached = capped && (await capReachedIn(book, segmentAt(segments, capped.periodStart)!, customer.usage));
    if (reached && reached.periodStart >= span.from) {
      const { meter, time } = reached;
      this.cappedOn.set(meter, Math.min(this.cappedOn.get(meter) ?? time, time));
    }
    const corrections = overage.corrections.map(({ line }) => line);
    if (corrections.length > 0) this.isExact = false;
    // What credit notes returned does not reduce what the invoice asks of grants.
    const stored = subscription.invoices.find((each) => each.created_on === createdOn && each.corrects_id === null);
    const netted = (stored ? invoiceLinesOf(stored) : []).filter(isReturned);
    const isNoted = (line: DraftLine) => isReturned(line) && !netted.some(({ meter }) => meter === line.meter);
    const notes = [...lines, ...corrections].filter(isNoted);
    const notedTaxes = taxesOn(createdOn, -sumOf(notes)).map((tax) => ({ ...tax, amount: -tax.amount }));
    addLines(this.sums, currency, notes, notedTaxes, segments, span);
    const own = [...lines, ...overage.lines, ...corrections].filter((line) => !notes.includes(line));
    if (own.length === 0) return;
    const draft = {
      ...{ id: `${row.id} ${createdOn}`, customer_key: key, currency, created_on: createdOn, subscription_id: row.id },
      ...{ from_credits: String(overage.paid), lines: "[]" },
    };
    const credits = await payWithGrants(this.#context, draft, sumOf(own), (subtotal) =>
      totalOf(taxesOn(createdOn, subtotal)),
    );
    own.push(...credits.lines);
    addLines(this.sums, currency, own, taxesOn(createdOn, sumOf(own)), segments, span);
  }

  /** Counts what arrived until a time, and compares it with grants and caps. */
  async #settle(at: number): Promise<void> {
    const { book, customer } = this;
    this.#now = at;
    const first = this.#counted;
    while (customer.usage[this.#counted] && customer.usage[this.#counted]!.arrivedOn <= at) this.#counted++;
    const periods = [...Map.groupBy(customer.usage.slice(first, this.#counted), placeOf).values()];
    const none = { events: 0, consumed: 0n, hours: new Map<number, Amount>() };
    const changes = periods.flatMap((ofPeriod) =>
      [...Map.groupBy(ofPeriod, ({ meter }) => meter).values()].map((ofMeter) => ({
        ...{ ...ofMeter[0]!, ...none },
        amount: sumOf(ofMeter),
      })),
    );
    if (changes.length > 0) await raiseCounters(book, changes);
    const withAmounts = (each: UsedAmount) => ({ ...each, amounts: new Map([[each.meter, each.amount]]) });
    await raiseMarks(
      book,
      periods.map((ofPeriod) => ofPeriod.map(withAmounts)),
    );
    await settleCredits(this.#context, customer.key);
  }
}

const isReturned = ({ kind, amount }: DraftLine) => (kind === "proration" || kind === "overage") && amount < 0n;
