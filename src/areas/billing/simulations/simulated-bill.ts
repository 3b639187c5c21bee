import { minorDigits } from "../../../lib/currencies.ts";
import { apportion, fraction, roundedQuotient } from "../../../lib/money.ts";
import type { Minor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { BillingData, ChargedFee } from "../../subscriptions/billing-state.ts";
import type { InvoiceRow } from "../invoices/invoice-store.ts";
import { overageIn } from "../overage/overage-lines.ts";
import { overagePrice } from "../overage/overage-price.ts";
import { chargeFees, creditFee } from "../plan-terms/fees.ts";
import { type DraftLine, invoiceLinesOf, sumOf, totalOf } from "../plan-terms/lines.ts";
import type { BillingSegmentRow } from "../plan-terms/segment-store.ts";
import { hasPricedMeters, segmentTermsOf } from "../plan-terms/segments.ts";

const noLine = { kind: "overage", quantity: 0, periodStart: 0, periodEnd: 0 } as const;

/** The sums of lines, by kind. */
export interface Sums {
  fees: Minor;
  usage: Minor;
  credits: Minor;
  tax: Minor;
  total: Minor;
}

export const noSums = (): Sums => ({ fees: 0n, usage: 0n, credits: 0n, tax: 0n, total: 0n });

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

/** A line, and the invoice that it would be on. */
interface Charge {
  invoicedOn: number;
  currency: string;
  segment: BillingSegmentRow;
  line: Pick<DraftLine, "kind" | "amount">;
}

/** A subscription as it was, with the terms that it had or would have had. */
export interface SimulatedSubscription {
  seq: number;
  anchor: number;
  segments: BillingSegmentRow[];
  invoices: InvoiceRow[];
  /** What the time alone returned of fees, by time: filled with the terms that it had. */
  byTime: Map<number, Minor>;
}

/** What a subscription is charged for the periods of a span, by currency. Each segment is billed once, with all its usage. */
export async function simulatedBill(
  reads: Reads,
  subscription: SimulatedSubscription,
  span: Span,
  taxesOn: TaxesOn,
): Promise<Map<string, Sums>> {
  const charges = [...feesOf(subscription), ...(await usageOf(reads, subscription, span))];
  const sums = new Map<string, Sums>();
  const invoices = Map.groupBy(charges, ({ invoicedOn, currency }) => `${invoicedOn} ${currency}`);
  for (const ofInvoice of invoices.values()) {
    const [{ invoicedOn, currency }] = ofInvoice as [Charge];
    const lines = ofInvoice.map(({ line }) => line);
    const taxes = taxesOn(invoicedOn, sumOf(lines));
    addLines(sums, currency, lines, taxes, (index) => isWithin(ofInvoice[index]!.segment, span));
  }
  return sums;
}

/** What was invoiced to a subscription for the periods of a span. */
export function invoicedSums({ segments, invoices }: SimulatedSubscription, span: Span): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const invoice of invoices) {
    const all = linesOf(invoice);
    const lines = all.filter(({ kind }) => /^(plan|proration|overage|credit)$/.test(kind));
    const taxes = all.filter(({ kind }) => kind === "tax");
    addLines(sums, invoice.currency, lines, taxes, (index) => {
      const { periodStart } = lines[index]!;
      const segment = segments.findLast(({ starts_on }) => starts_on <= periodStart);
      return segment !== undefined && isWithin(segment, span);
    });
  }
  return sums;
}

/** The lines of a credit note are negative. */
function linesOf(invoice: InvoiceRow): DraftLine[] {
  const lines = invoiceLinesOf(invoice);
  return invoice.corrects_id === null ? lines : lines.map((line) => ({ ...line, amount: -line.amount }));
}

/** Adds the lines that count, with their shares of the taxes of their invoice. */
function addLines(
  sums: Map<string, Sums>,
  currency: string,
  lines: Pick<DraftLine, "kind" | "amount">[],
  taxes: DraftLine[],
  counts: (index: number) => boolean,
): void {
  const weights = lines.map(({ amount }) => amount);
  const shares = apportion(sumOf(taxes), weights);
  const added = apportion(totalOf(taxes), weights);
  const sum = sums.get(currency) ?? noSums();
  for (const [index, { kind, amount }] of lines.entries()) {
    if (!counts(index)) continue;
    sums.set(currency, sum);
    if (kind === "overage") sum.usage += amount;
    else if (amount < 0n) sum.credits += amount;
    else sum.fees += amount;
    sum.tax += shares[index]!;
    sum.total += amount + added[index]!;
  }
}

/** The fees of all segments, and what was returned of those of plans that ended within a period. */
function feesOf({ anchor, segments, invoices, byTime }: SimulatedSubscription): Charge[] {
  const charged: BillingData["charged"] = {};
  const charges: Charge[] = [];
  const returned = returnedFees(invoices);
  for (const [index, segment] of segments.entries()) {
    const at = segment.starts_on;
    const before = segments[index - 1];
    const isRenewal = before?.period_start !== segment.period_start;
    const { plans } = segmentTermsOf(segment);
    for (const [seq, fee] of Object.entries(charged)) {
      const isEnded = !plans.some((plan) => String(plan.seq) === seq);
      const isReturned = !isRenewal && isEnded && before?.kind === "billed" && segment.kind === "billed";
      if (fee.until > at && !isReturned) continue;
      const credit = fee.until > at ? returnOf(fee, at, returned, byTime) : undefined;
      if (credit) charges.push({ invoicedOn: at, currency: fee.currency, segment, line: credit });
      delete charged[seq];
    }
    if (segment.kind !== "billed") continue;
    for (const line of chargeFees(plans, charged, anchor, at, "plan")) {
      const { currency } = plans.find(({ id }) => id === line.planId)!.price!;
      charges.push({ invoicedOn: at, currency, segment, line });
    }
  }
  return charges;
}

/** What invoices and credit notes returned of fees, by time. */
function returnedFees(invoices: InvoiceRow[]): Map<number, Minor> {
  const returned = new Map<number, Minor>();
  for (const { kind, amount, periodStart } of invoices.flatMap(linesOf))
    if (kind === "proration" && amount < 0n) returned.set(periodStart, (returned.get(periodStart) ?? 0n) + amount);
  return returned;
}

/**
 * A fee is returned by the time that is left, or by the quotas that are left if that was less: then other fees are returned in
 * the same proportion.
 */
function returnOf(
  fee: ChargedFee,
  at: number,
  returned: Map<number, Minor>,
  byTime: Map<number, Minor>,
): DraftLine | undefined {
  const credit = creditFee(fee, at, { share: fraction(0, 1), period: { start: fee.from, end: fee.until } });
  if (!credit) return undefined;
  // What the time alone returned of the fee that was charged.
  if (!byTime.has(at)) byTime.set(at, credit.amount);
  const [whole, part] = [byTime.get(at)!, returned.get(at) ?? 0n];
  return part > whole ? { ...credit, amount: roundedQuotient(credit.amount * part, whole) } : credit;
}

/**
 * The usage beyond the allowances, for the periods that share invoices with the span. Late usage is on an invoice of its own:
 * each has the share that it had, because taxes are rounded there.
 */
async function usageOf(
  reads: Reads,
  { seq, segments, invoices }: SimulatedSubscription,
  { from, to }: Span,
): Promise<Charge[]> {
  const marks = await marksOf(reads, seq);
  const invoiced = invoices.flatMap((invoice) =>
    linesOf(invoice).map((line) => ({ ...line, invoicedOn: invoice.created_on })),
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
      const parts = invoiced.filter(
        (line) => line.kind === "overage" && line.meter === meter && line.periodStart === segment.starts_on,
      );
      if (parts.length === 0)
        parts.push({ ...noLine, amount: 1n, invoicedOn: isEnd ? end.starts_on : segment.period_end });
      const shares = apportion(
        all,
        parts.map(({ amount }) => amount),
      );
      for (const [part, { invoicedOn }] of parts.entries())
        charges.push({ invoicedOn, currency, segment, line: { kind: "overage", amount: shares[part]! } });
    }
  }
  return charges;
}
