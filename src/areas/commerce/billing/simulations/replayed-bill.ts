import { type Act, systemAct } from "../../../../core/access.ts";
import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { type Amount, partsOf } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { insertRow } from "../../../../platform/storage/query.ts";
import type { MemoryTransaction } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type BillingData, lateMilliseconds } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { EntryRow, GrantRow } from "../credit-grants/grant-store.ts";
import { spendPeriodsOf } from "../credit-grants/use-store.ts";
import { noCaps } from "../customers/caps.ts";
import { payWithGrants } from "../invoices/payments.ts";
import { overageIn, type SegmentOverage } from "../overage/overage-lines.ts";
import { overagePrice } from "../overage/overage-price.ts";
import { billUnderCaps } from "../periods/finalization.ts";
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
import { allowedCost } from "../spending/spending.ts";
import {
  addLines,
  feesAt,
  maximumsOf,
  returnedFees,
  type SimulatedSubscription,
  type Span,
  type Sums,
  segmentAt,
  type TaxesOn,
} from "./simulated-bill.ts";
import type { UsedAmount } from "./usage-in-order.ts";

export interface ReplayedSubscription extends SimulatedSubscription {
  /** Before the plans of the simulation. The same object as `segments` if they are not changed. */
  former: BillingSegmentRow[];
  taxesOn: TaxesOn;
  row: Subscription["row"];
}

/** What happens at a time. What is due earlier at the same time has the lower order. */
interface Point {
  at: number;
  order: number;
  run?: () => Promise<void>;
  billedSeq?: number;
}

/** A mark of usage before a segment. */
interface Mark {
  time: number;
  isEnd: boolean;
  segmentSeq: number;
  used: Map<string, Amount>;
}

/**
 * Bills a customer again in its book: begins its segments, counts its usage in the order in which it was counted, and lets
 * grants and caps pay and limit it at the times at which they did, by the functions that bill. What it writes is taken back.
 */
export function replayedBill(
  book: MemoryTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  subscriptions: ReplayedSubscription[],
  usage: UsedAmount[],
  since: number,
  span: Span,
): Promise<Pick<Replay, "sums" | "cappedOn">> {
  return book.undone(async () => {
    const replay = new Replay(book, act, bucket, customerKey, subscriptions, usage, since, span);
    await replay.run();
    return replay;
  });
}

class Replay {
  readonly sums = new Map<string, Sums>();
  /** When a cap would have been reached first, by meter. */
  readonly cappedOn = new Map<string, number>();
  readonly #points: Point[] = [];
  readonly #used = new Map<string, Map<string, Amount>>();
  readonly #marks = new Map<string, Mark[]>();
  #counted = 0;
  #now = 0;

  constructor(
    private readonly book: MemoryTransaction,
    private readonly act: Act,
    private readonly bucket: MeteringBucket,
    private readonly customerKey: string,
    private readonly subscriptions: ReplayedSubscription[],
    private readonly usage: UsedAmount[],
    private readonly since: number,
    private readonly span: Span,
  ) {}

  async run(): Promise<void> {
    await this.#reset();
    for (const subscription of this.subscriptions) this.#planSegments(subscription);
    if (this.#isMixed)
      for (const hour of new Set(this.usage.map(({ arrivedOn }) => startOf(arrivedOn, hourMilliseconds))))
        this.#points.push({ at: hour + hourMilliseconds, order: 0 });
    const slice = new Slice();
    for (;;) {
      // Few, and they are added while others run.
      const next = this.#points.reduce<Point | undefined>(
        (first, each) =>
          first === undefined || each.at < first.at || (each.at === first.at && each.order < first.order)
            ? each
            : first,
        undefined,
      );
      if (!next) return;
      this.#points.splice(this.#points.indexOf(next), 1);
      await this.#settle(Math.max(next.at, this.#now), next.billedSeq);
      await next.run?.();
      if (slice.isOver) await slice.next();
    }
  }

  get #context(): BucketContext {
    return { transaction: this.book, act: systemAct(this.act, this.#now), bucket: this.bucket };
  }

  /** Whether the order within an hour decides what money pays for. */
  get #isMixed(): boolean {
    const isMixed = (terms: Terms) => hasPrepaidMeters(terms) && pricedMeters(terms).length > 1;
    const priced = this.subscriptions.filter(({ segments }) => segments.some(hasPricedMeters));
    return priced.length > 1 || priced.some(({ segments }) => segments.some((each) => isMixed(segmentTermsOf(each))));
  }

  /** Removes what was computed since the first period, and grants what was granted. */
  async #reset(): Promise<void> {
    const { book, since, bucket, customerKey } = this;
    for (const { seq } of this.subscriptions) {
      await book.run("UPDATE subscriptions SET has_credits = 1 WHERE seq = ?", [seq]);
      for (const table of ["usage_counters", "segment_marks", "credit_uses", "billing_segments"])
        await book.run(`DELETE FROM ${table} WHERE subscription_seq = ? AND period_start >= ?`, [seq, since]);
      for (const table of ["usage_hours", "usage_events"])
        await book.run(`DELETE FROM ${table} WHERE subscription_seq = ?`, [seq]);
      await book.run(
        "UPDATE spend_periods SET applied = '0', threshold = 100 WHERE subscription_seq = ? AND period_start >= ?",
        [seq, since],
      );
    }
    const ofCustomer = [bucket.seq, customerKey];
    await book.run("DELETE FROM rollovers WHERE bucket_seq = ? AND customer_key = ? AND period_start >= ?", [
      ...ofCustomer,
      since,
    ]);
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
      await book.run("UPDATE grants SET balance = ?, effective_on = ?, ended_on = NULL WHERE seq = ?", [
        String(balance > 0n ? balance : 0n),
        begins,
        seq,
      ]);
      const end = () => book.run("UPDATE grants SET ended_on = ? WHERE seq = ?", [ended_on, seq]);
      if (ended_on !== null && ended_on <= since) await end();
      else if (ended_on !== null) this.#points.push({ at: ended_on, order: 0, run: end });
      // What was used before a grant begins or expires is compared before.
      for (const time of [begins, expires_on ?? 0]) if (time > since) this.#points.push({ at: time - 1, order: 0 });
    }
    await book.run(
      `DELETE FROM grants WHERE bucket_seq = ? AND customer_key = ? AND rollover_seq IS NOT NULL
         AND rollover_seq NOT IN (SELECT seq FROM rollovers)`,
      ofCustomer,
    );
  }

  #planSegments(subscription: ReplayedSubscription): void {
    const { segments, invoices } = subscription;
    const charged: BillingData["charged"] = {};
    const returned = returnedFees(invoices);
    const rows: BillingSegmentRow[] = [];
    for (const [index, segment] of segments.entries()) {
      if (segment.period_start < this.since) feesAt(subscription, index, charged, returned);
      else if (segment.starts_on <= this.span.to) {
        const run = () => this.#begin(subscription, index, rows, charged, returned);
        // Units that were carried over expire then.
        this.#points.push({ at: segment.starts_on - 1, order: 0 }, { at: segment.starts_on, order: 1, run });
      }
    }
    // Usage that arrived late was on invoices of its own.
    for (const { created_on, finalized_on, corrects_id } of invoices)
      if (
        corrects_id === null &&
        created_on >= this.since &&
        !segments.some(({ starts_on }) => starts_on === created_on)
      )
        this.#planInvoice(subscription, [], created_on, finalized_on ?? created_on);
  }

  async #begin(
    subscription: ReplayedSubscription,
    index: number,
    rows: BillingSegmentRow[],
    charged: BillingData["charged"],
    returned: ReturnType<typeof returnedFees>,
  ): Promise<void> {
    const { book, bucket } = this;
    const { seq, segments, row } = subscription;
    const segment = segments[index]!;
    const { period_start, starts_on: at } = segment;
    const before = segments[index - 1];
    const isSamePeriod = before?.period_start === period_start;
    const former = before && segmentTermsOf(before);
    const used = this.#used.get(placeOf(seq, period_start)) ?? new Map<string, Amount>();
    const terms = proratedTerms(segment, subscription.former[index]!, used);
    const { seq: _, ...values } = { ...segment, terms: JSON.stringify(terms), billed: "{}" };
    const stored = await insertRow(book, "billing_segments", values);
    rows[index] = stored;
    if (isSamePeriod || Math.max(period_start, row.created_on) < at) {
      const meters = new Set([...(isSamePeriod ? pricedMeters(former!) : []), ...pricedMeters(terms)]);
      const isEnd = segment.kind === "idle" && segment.ends_on === null;
      await this.#mark(seq, period_start, { time: at, isEnd, segmentSeq: stored.seq, used: new Map() }, [...meters]);
    }
    const charges = feesAt(subscription, index, charged, returned, former && { terms: former, used });
    const last = rows[index - 1];
    if (!isSamePeriod && last?.kind === "billed" && segment.kind === "billed") {
      // A fee of zero is paid.
      const fees = former!.plans.filter(({ price }) => price !== null).map((plan) => [plan.seq, { amount: "0" }]);
      const own = { ...row, billing: JSON.stringify({ charged: Object.fromEntries(fees) }) };
      const paidOn = paymentOf(subscription, last.period_start);
      if (paidOn !== undefined)
        this.#points.push({
          at: Math.max(at + lateMilliseconds, paidOn),
          order: 2,
          run: async () => {
            await recordRollovers(book, bucket, { row: own, plans: [] }, { ...last, ends_on: at });
            await settleRollovers(this.#context, row.id);
          },
        });
    }
    const ofPeriod = segments
      .slice(0, index)
      .filter((each) => each.period_start === (isSamePeriod ? period_start : before?.period_start));
    const waits = (isSamePeriod ? segment.kind === "idle" : true) && ofPeriod.some(hasPricedMeters);
    const finalizesOn = at + (waits ? lateMilliseconds : 0);
    const lines = charges.map(({ line }) => line);
    if (waits) this.#planInvoice(subscription, lines, at, finalizesOn);
    else if (lines.length > 0) await this.#finalize(subscription, lines, at);
  }

  #planInvoice(subscription: ReplayedSubscription, lines: DraftLine[], createdOn: number, at: number): void {
    const run = () => this.#finalize(subscription, lines, createdOn);
    this.#points.push({ at, order: 0, billedSeq: subscription.seq, run });
  }

  /** Bills usage, takes money of grants, and adds the lines of the invoice. */
  async #finalize(subscription: ReplayedSubscription, lines: DraftLine[], createdOn: number): Promise<void> {
    const { book, bucket } = this;
    const { segments, row, taxesOn } = subscription;
    const begun = segments.filter(({ starts_on }) => starts_on <= createdOn);
    const currency = begun.map((each) => currencyOf(segmentTermsOf(each))).findLast(Boolean);
    if (currency === undefined) return;
    const withCredits = { row: { ...row, has_credits: 1 }, plans: [] };
    const overage = await billUnderCaps(book, bucket, withCredits, this.#now, currency);
    const capped = overage.lines.find(
      ({ kind, funding, meter }) => kind === "credit" && !funding && meter === undefined,
    );
    if (capped) await this.#noteCap(subscription.seq, segmentAt(segments, capped.periodStart)!);
    // Fees that credit notes returned do not reduce what the invoice asks of grants.
    const isNoted = !subscription.invoices.some(
      (each) => each.created_on === createdOn && each.corrects_id === null && invoiceLinesOf(each).some(isReturned),
    );
    const notes = lines.filter((line) => isNoted && isReturned(line));
    const notedTaxes = taxesOn(createdOn, -sumOf(notes)).map((tax) => ({ ...tax, amount: -tax.amount }));
    addLines(this.sums, currency, notes, notedTaxes, segments, this.span);
    const due = lines.filter((line) => !notes.includes(line));
    const own = [...due, ...overage.lines, ...overage.corrections.map(({ line }) => line)];
    if (own.length === 0) return;
    const draft = {
      ...{ id: "", customer_key: this.customerKey, currency, created_on: createdOn, subscription_id: row.id },
      ...{ from_credits: String(overage.paid), lines: "[]" },
    };
    const credits = await payWithGrants(this.#context, draft, sumOf(own), (subtotal) =>
      totalOf(taxesOn(createdOn, subtotal)),
    );
    own.push(...credits.lines);
    addLines(this.sums, currency, own, taxesOn(createdOn, sumOf(own)), segments, this.span);
  }

  /** Finds when the cost of a period reached its cap. */
  async #noteCap(seq: number, { period_start }: BillingSegmentRow): Promise<void> {
    const { book } = this;
    if (period_start < this.span.from) return;
    const spend = (await spendPeriodsOf(book, seq)).get(period_start);
    const rows = await book.all<BillingSegmentRow>(
      "SELECT * FROM billing_segments WHERE subscription_seq = ? AND period_start = ? ORDER BY seq",
      [seq, period_start],
    );
    const marks = await marksOf(book, seq);
    const all: SegmentOverage[] = [];
    for (const [index, each] of rows.entries())
      if (hasPricedMeters(each)) all.push(...(await overageIn(book, seq, each, rows[index + 1], marks)));
    const first = all[0];
    const cap = first && allowedCost(spend, noCaps, first.currency);
    if (cap === undefined) return;
    const used = new Map<string, Amount>();
    for (const { meter, amount, time, ...place } of this.usage) {
      if (place.subscriptionSeq !== seq || place.periodStart !== period_start) continue;
      used.set(meter, (used.get(meter) ?? 0n) + amount);
      const costOf = (overage: SegmentOverage) => {
        const units = (used.get(overage.meter) ?? 0n) - overage.start;
        const most = units < overage.units ? units : overage.units;
        return most > 0n ? overagePrice(most, overage.rate, minorDigits(overage.currency)!) : 0n;
      };
      if (all.reduce((sum, overage) => sum + costOf(overage), 0n) <= cap) continue;
      const known = this.cappedOn.get(meter) ?? Number.POSITIVE_INFINITY;
      this.cappedOn.set(meter, Math.min(known, time));
      return;
    }
  }

  /** Counts what arrived until a time, and compares it with grants and caps. */
  async #settle(at: number, billedSeq: number | undefined): Promise<void> {
    this.#now = at;
    const changed = new Set<string>();
    for (; this.#counted < this.usage.length; this.#counted++) {
      const { subscriptionSeq, periodStart, meter, amount, time, arrivedOn } = this.usage[this.#counted]!;
      if (arrivedOn > at) break;
      const place = placeOf(subscriptionSeq, periodStart);
      const used = this.#used.get(place) ?? new Map<string, Amount>();
      this.#used.set(place, used.set(meter, (used.get(meter) ?? 0n) + amount));
      changed.add(`${place} ${meter}`);
      for (const mark of this.#marks.get(place) ?? [])
        if (mark.used.has(meter) && (time < mark.time || (time === mark.time && mark.isEnd)))
          mark.used.set(meter, mark.used.get(meter)! + amount);
    }
    for (const key of changed) {
      const [seq, start] = key.split(" ", 2).map(Number) as [number, number];
      const meter = key.slice(`${seq} ${start} `.length);
      const place = placeOf(seq, start);
      await this.#count(seq, start, meter, this.#used.get(place)!.get(meter)!);
      for (const mark of this.#marks.get(place) ?? [])
        if (mark.used.has(meter)) await this.#storeMark(seq, start, mark, meter);
    }
    await settleCredits(this.#context, this.customerKey, {
      ...(billedSeq === undefined ? {} : { billedSeq }),
    });
  }

  async #count(seq: number, start: number, meter: string, amount: Amount): Promise<void> {
    const { whole, billionths } = partsOf(amount);
    await this.book.run(
      `INSERT INTO usage_counters (subscription_seq, period_start, meter, events, whole, billionths, removed_events,
         removed_whole, removed_billionths, consumed_whole, consumed_billionths) VALUES (?, ?, ?, 0, ?, ?, 0, 0, 0, 0, 0)
       ON CONFLICT (subscription_seq, period_start, meter) DO UPDATE SET whole = excluded.whole, billionths = excluded.billionths`,
      [seq, start, meter, Number(whole), Number(billionths)],
    );
  }

  async #mark(seq: number, start: number, mark: Mark, meters: string[]): Promise<void> {
    const place = placeOf(seq, start);
    this.#marks.set(place, [...(this.#marks.get(place) ?? []), mark]);
    for (const meter of meters) mark.used.set(meter, 0n);
    for (const each of this.usage.slice(0, this.#counted))
      if (
        placeOf(each.subscriptionSeq, each.periodStart) === place &&
        each.time <= mark.time &&
        mark.used.has(each.meter)
      )
        mark.used.set(each.meter, mark.used.get(each.meter)! + each.amount);
    for (const meter of meters) await this.#storeMark(seq, start, mark, meter);
  }

  async #storeMark(seq: number, start: number, { segmentSeq, time, used }: Mark, meter: string): Promise<void> {
    const { whole, billionths } = partsOf(used.get(meter)!);
    await this.book.run(
      `INSERT INTO segment_marks (subscription_seq, period_start, segment_seq, time, meter, whole, billionths,
         consumed_whole, consumed_billionths, last_event) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
       ON CONFLICT (subscription_seq, period_start, segment_seq, meter) DO UPDATE SET whole = excluded.whole, billionths = excluded.billionths`,
      [seq, start, segmentSeq, time, meter, Number(whole), Number(billionths)],
    );
  }
}

const isReturned = ({ kind, amount }: DraftLine) => kind === "proration" && amount < 0n;

const placeOf = (subscriptionSeq: number, periodStart: number) => `${subscriptionSeq} ${periodStart}`;

/** When the fee of a period was paid. Undefined if it was not. */
function paymentOf({ invoices }: SimulatedSubscription, start: number): number | undefined {
  const invoice = invoices.find(({ created_on, corrects_id }) => created_on === start && corrects_id === null);
  if (!invoice) return start;
  return invoice.status === "paid" ? (invoice.paid_on ?? start) : undefined;
}

/** The terms with the maximums that a change of plans would have left, if those of the plans are others. */
function proratedTerms(
  segment: BillingSegmentRow,
  former: BillingSegmentRow,
  used: ReadonlyMap<string, Amount>,
): Terms {
  const terms = segmentTermsOf(segment);
  if (terms.allowance === null || segment.terms === former.terms) return terms;
  const [was, is] = [segmentTermsOf(former), terms].map(({ plans }) => maximumsOf({ plans, allowance: null }));
  const allowance = Object.fromEntries(
    [...is!].map(([meter, max]) => {
      const before = used.get(meter) ?? 0n;
      const old = was!.get(meter) ?? 0n;
      const stored = BigInt(terms.allowance![meter] ?? before);
      return [meter, String(old > 0n && stored > before ? before + ((stored - before) * max) / old : before)];
    }),
  );
  return { ...terms, allowance };
}
