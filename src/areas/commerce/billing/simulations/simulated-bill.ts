import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { apportion, fraction, type Price, parsePrice, roundedQuotient } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { BillingData, ChargedFee } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { InvoiceRow } from "../invoices/invoice-store.ts";
import { overageIn } from "../overage/overage-lines.ts";
import { overagePrice } from "../overage/overage-price.ts";
import { beyondCap } from "../periods/finalization.ts";
import {
  chargeFees,
  creditFee,
  type DraftLine,
  invoiceLinesOf,
  sumOf,
  totalOf,
  type UsedShare,
  usedShareOf,
} from "../plan-terms/lines.ts";
import { type BillingSegmentRow, hasPricedMeters, segmentTermsOf, type Terms } from "../plan-terms/segments.ts";

/** The sums of lines, by kind. */
export type Sums<Amount = Minor> = Record<"fees" | "usage" | "credits" | "tax" | "total", Amount>;

export const noSums = (): Sums => ({ fees: 0n, usage: 0n, credits: 0n, tax: 0n, total: 0n });

export function mapSums<Amount, Mapped>(
  { fees, usage, credits, tax, total }: Sums<Amount>,
  map: (amount: Amount, name: keyof Sums) => Mapped,
): Sums<Mapped> {
  return {
    fees: map(fees, "fees"),
    usage: map(usage, "usage"),
    credits: map(credits, "credits"),
    tax: map(tax, "tax"),
    total: map(total, "total"),
  };
}

/** The periods of a simulation. */
export interface Span {
  from: number;
  to: number;
}

export function isWithin({ period_start, period_end }: BillingSegmentRow, { from, to }: Span): boolean {
  return period_start >= from && period_end <= to;
}

/** The taxes of the invoice of a time. */
export type TaxesOn = (time: number, subtotal: Minor) => DraftLine[];

type ChargedLine = Pick<DraftLine, "kind" | "amount" | "periodStart" | "funding">;

/** A line, and the invoice that it would be on. */
interface Charge {
  invoicedOn: number;
  currency: string;
  line: ChargedLine;
}

/** A subscription as it was, with the terms that it had or would have had. */
export interface SimulatedSubscription {
  row: Subscription["row"];
  segments: BillingSegmentRow[];
  /** Before the plans of the simulation. The same object as `segments` if they are not changed. */
  former: BillingSegmentRow[];
  /** Finalized invoices and their credit notes. */
  invoices: InvoiceRow[];
  /** Whether an invoice still waits for usage. */
  hasDrafts: boolean;
  taxesOn: TaxesOn;
  /** What was computed of returned fees under the terms that it had. */
  formerly: Map<string, { whole: Minor; price: Price }>;
}

/** What a subscription is charged for the periods of a span, by currency. Each segment is billed once, with all its usage. */
export async function simulatedBill(
  reads: Reads,
  subscription: SimulatedSubscription,
  span: Span,
): Promise<Map<string, Sums>> {
  const charges = [...feesOf(subscription), ...(await usageOf(reads, subscription, span))];
  const sums = new Map<string, Sums>();
  const invoices = Map.groupBy(charges, ({ invoicedOn, currency }) => `${invoicedOn} ${currency}`);
  for (const ofInvoice of invoices.values()) {
    const [{ invoicedOn, currency }] = ofInvoice as [Charge];
    const lines = ofInvoice.map(({ line }) => line);
    addLines(sums, currency, lines, subscription.taxesOn(invoicedOn, sumOf(lines)), subscription.segments, span);
  }
  return sums;
}

/** What was invoiced to a subscription for the periods of a span. */
export function invoicedSums({ segments, invoices }: SimulatedSubscription, span: Span): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const invoice of invoices) {
    const all = linesOf(invoice);
    const isUntaxed = ({ kind, funding, meter, description }: DraftLine) =>
      /^(plan|proration|overage)$/.test(kind) ||
      (kind === "credit" && (invoice.corrects_id ?? funding ?? meter ?? (description === beyondCap || undefined)));
    const lines = all.filter(isUntaxed);
    const taxes = all.filter(({ kind }) => kind === "tax");
    addLines(sums, invoice.currency, lines, taxes, segments, span);
  }
  return sums;
}

/** The lines of a credit note are negative. */
function linesOf(invoice: InvoiceRow): DraftLine[] {
  const lines = invoiceLinesOf(invoice);
  return invoice.corrects_id === null ? lines : lines.map((line) => ({ ...line, amount: -line.amount }));
}

export function segmentAt(segments: BillingSegmentRow[], time: number): BillingSegmentRow | undefined {
  return segments.findLast(({ starts_on }) => starts_on <= time);
}

/** Adds the lines of the periods of a span, with their shares of the taxes of their invoice. */
export function addLines(
  sums: Map<string, Sums>,
  currency: string,
  lines: ChargedLine[],
  taxes: DraftLine[],
  segments: BillingSegmentRow[],
  span: Span,
): void {
  const weights = lines.map(({ amount }) => amount);
  const shares = apportion(sumOf(taxes), weights);
  const added = apportion(totalOf(taxes), weights);
  const sum = sums.get(currency) ?? noSums();
  for (const [index, { kind, amount, funding, periodStart }] of lines.entries()) {
    const segment = segmentAt(segments, periodStart);
    if (!segment || !isWithin(segment, span)) continue;
    sums.set(currency, sum);
    // What is written off is not used.
    if (kind === "overage" || (kind === "credit" && funding === undefined)) sum.usage += amount;
    else if (amount < 0n) sum.credits += amount;
    else sum.fees += amount;
    sum.tax += shares[index]!;
    sum.total += amount + added[index]!;
  }
}

function feesOf(subscription: SimulatedSubscription): Charge[] {
  const charged: BillingData["charged"] = {};
  const returned = returnedFees(subscription.invoices);
  return subscription.segments.flatMap((_, index) => feesAt(subscription, index, charged, returned));
}

/**
 * The fees of a segment, and what is returned of those of plans that ended within a period.
 * @param former the terms before it, and what was used of their maximums, if that is known
 */
export function feesAt(
  { row, segments, formerly }: SimulatedSubscription,
  index: number,
  charged: BillingData["charged"],
  returned: ReadonlyMap<string, Minor>,
  former?: { terms: Terms; used: ReadonlyMap<string, Amount> },
): (Charge & { line: DraftLine })[] {
  const charges: (Charge & { line: DraftLine })[] = [];
  const [before, segment] = [segments[index - 1], segments[index]!];
  const at = segment.starts_on;
  const isRenewal = before?.period_start !== segment.period_start;
  const { plans } = segmentTermsOf(segment);
  for (const [seq, fee] of Object.entries(charged)) {
    const isEnded = !plans.some((plan) => String(plan.seq) === seq);
    const isReturned = !isRenewal && isEnded && before?.kind === "billed" && segment.kind === "billed";
    if (fee.until > at && !isReturned) continue;
    delete charged[seq];
    if (fee.until <= at) continue;
    const maximums = [...(former ? maximumsOf(former.terms) : [])].map(([meter, max]) => [meter, { max }] as const);
    const share = usedShareOf(former?.used ?? new Map(), new Map(maximums));
    const used = { share, period: { start: before!.period_start, end: before!.period_end } };
    const credit = returnOf(fee, at, former ? used : undefined, returned, formerly);
    if (credit && credit.amount !== 0n) charges.push({ invoicedOn: at, currency: fee.currency, line: credit });
  }
  if (segment.kind !== "billed") return charges;
  for (const line of chargeFees(plans, charged, row.quota_reset_anchor, at, "plan")) {
    const { currency } = plans.find(({ id }) => id === line.planId)!.price!;
    charges.push({ invoicedOn: at, currency, line });
  }
  return charges;
}

/** The maximums of a segment, by meter. Those of several plans are added. */
export function maximumsOf({ plans, allowance }: Terms): Map<string, Amount> {
  const sums = new Map<string, Amount>();
  for (const [meter, { max }] of plans.flatMap(({ meters }) => Object.entries(meters)))
    sums.set(meter, (sums.get(meter) ?? 0n) + amountOf(max)!);
  for (const [meter, max] of Object.entries(allowance ?? {})) if (sums.has(meter)) sums.set(meter, BigInt(max));
  return sums;
}

const placeOf = (at: number, planId: string | undefined) => `${at} ${planId}`;

/** What invoices and credit notes returned of the fees of a plan, by time. */
export function returnedFees(invoices: InvoiceRow[]): Map<string, Minor> {
  const returned = new Map<string, Minor>();
  for (const { kind, amount, periodStart, planId } of invoices.flatMap(linesOf))
    if (kind === "proration" && amount < 0n) {
      const place = placeOf(periodStart, planId);
      returned.set(place, (returned.get(place) ?? 0n) + amount);
    }
  return returned;
}

/**
 * A fee is returned by the time that is left, or by the quotas that are left if that is less. Of the fee that was charged, what
 * was returned is stored; others are returned in the same proportion.
 */
function returnOf(
  fee: ChargedFee,
  at: number,
  used: UsedShare | undefined,
  returned: ReadonlyMap<string, Minor>,
  formerly: SimulatedSubscription["formerly"],
): DraftLine | undefined {
  const none = { share: fraction(0, 1), period: { start: fee.from, end: fee.until } };
  const credit = creditFee(fee, at, used ?? none);
  const { planId, label: description, until: periodEnd } = fee;
  const part = returned.get(placeOf(at, planId)) ?? 0n;
  const line = (amount: Minor): DraftLine => ({
    ...{ kind: "proration", planId, description, quantity: 1, amount, periodStart: at, periodEnd },
  });
  const former = formerly.get(placeOf(at, planId));
  if (!former) {
    formerly.set(placeOf(at, planId), { whole: credit?.amount ?? 0n, price: parsePrice(fee.amount)! });
    return line(part);
  }
  if (former.whole !== 0n) return credit && line(roundedQuotient(-credit.amount * part, -former.whole));
  return part === 0n || former.price === 0n
    ? credit
    : line(roundedQuotient(part * parsePrice(fee.amount)!, former.price));
}

/**
 * The usage beyond the allowances, for the periods that share invoices with the span. Late usage is on an invoice of its own:
 * each has the share that it had, because taxes are rounded there.
 */
async function usageOf(
  reads: Reads,
  { row: { seq }, segments, invoices }: SimulatedSubscription,
  { from, to }: Span,
): Promise<Charge[]> {
  const marks = await marksOf(reads, seq);
  const invoiced = invoices.flatMap((invoice) =>
    linesOf(invoice).flatMap(({ kind, meter, periodStart, amount }) =>
      kind === "overage" ? { meter, periodStart, amount, invoicedOn: invoice.created_on } : [],
    ),
  );
  const charges: Charge[] = [];
  for (const [index, segment] of segments.entries()) {
    const isNear = segment.period_end >= from && segment.period_start <= to;
    if (!isNear || segment.ends_on === null || !hasPricedMeters(segment)) continue;
    const end = segments
      .slice(index + 1)
      .find((each) => each.kind === "idle" || each.period_start !== segment.period_start);
    const isEnd = end?.kind === "idle" && end.period_start === segment.period_start;
    for (const { units, rate, currency, meter } of await overageIn(reads, seq, segment, segments[index + 1], marks)) {
      const all = overagePrice(units, rate, minorDigits(currency)!);
      const { starts_on: periodStart } = segment;
      const parts = invoiced.filter((line) => line.meter === meter && line.periodStart === periodStart);
      if (parts.length === 0)
        parts.push({ meter, periodStart, amount: 1n, invoicedOn: isEnd ? end.starts_on : segment.period_end });
      const shares = apportion(
        all,
        parts.map(({ amount }) => amount),
      );
      for (const [part, { invoicedOn }] of parts.entries())
        charges.push({ invoicedOn, currency, line: { kind: "overage", amount: shares[part]!, periodStart } });
    }
  }
  return charges;
}
