import { type Amount, numberOf } from "../../../lib/amount.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import type { Minor } from "../../../lib/money.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type Mark, marksOf } from "../../metering/counters/usage-marks.ts";
import { lateMilliseconds } from "../../metering/subscriptions/billing-state.ts";
import type { Subscription } from "../../metering/subscriptions/subscriptions.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { DraftLine } from "../invoices/lines.ts";
import { overagePrice, overageUnits } from "../terms/overage.ts";
import { billedMeters, currencyOf, type PlanTerms, type Terms } from "../terms/terms.ts";
import { allowancesIn } from "./plan-terms.ts";
import { type SegmentRow, segmentsOf, setBilled } from "./segment-store.ts";

/** What was billed of a segment's meter. */
interface Billed {
  units: string;
  amount: string;
}

interface PendingLine {
  segment: SegmentRow;
  meter: string;
  units: Amount;
  amount: Minor;
  line: DraftLine;
}

/** The time from which a segment's overage can be billed: after the period, or after the subscription's end in it. */
function billableFrom(segment: SegmentRow, later: SegmentRow[]): number {
  if (segment.ends_on === null) return Number.POSITIVE_INFINITY;
  const end = later.find(({ kind, period_start }) => kind === "idle" && period_start === segment.period_start);
  return (end?.starts_on ?? segment.period_end) + lateMilliseconds;
}

export function hasBilledMeters(segment: SegmentRow): boolean {
  return segment.kind === "billed" && billedMeters(JSON.parse(segment.terms) as Terms).length > 0;
}

/**
 * The overage of ended periods that is not billed: the rounded price of the usage now minus what was billed, under the
 * terms of each segment. It also contains usage that arrived late.
 */
export async function pendingOverage(reads: Reads, { row }: Subscription, at: number): Promise<PendingLine[]> {
  const segments = await segmentsOf(reads, row.seq);
  const pending: PendingLine[] = [];
  const marks = await marksOf(reads, row.seq);
  for (const [index, segment] of segments.entries()) {
    if (segment.ends_on === null || !hasBilledMeters(segment)) continue;
    if (billableFrom(segment, segments.slice(index + 1)) > at) continue;
    pending.push(...(await pendingOf(reads, row.seq, segment, segments[index + 1], marks)));
  }
  return pending;
}

async function pendingOf(
  reads: Reads,
  subscriptionSeq: number,
  segment: SegmentRow,
  next: SegmentRow | undefined,
  marks: Mark[],
): Promise<PendingLine[]> {
  const terms = JSON.parse(segment.terms) as Terms;
  const billed = JSON.parse(segment.billed) as Record<string, Billed>;
  const used = await usedInPeriod(reads, subscriptionSeq, segment.period_start);
  const ofPeriod = marks.filter(({ periodStart }) => periodStart === segment.period_start);
  const byPlace = new Map(ofPeriod.map((mark) => [`${mark.time} ${mark.meter}`, mark.used]));
  const markAt = (time: number, meter: string) => byPlace.get(`${time} ${meter}`);
  const pending: PendingLine[] = [];
  const meters = billedMeters(terms);
  const allowed = await allowancesIn(reads, segment, terms, meters);
  for (const meter of meters) {
    const isLastOfPeriod = next === undefined || next.period_start !== segment.period_start;
    const total = used.get(meter) ?? 0n;
    const atEnd = isLastOfPeriod ? total : (markAt(next.starts_on, meter) ?? total);
    const before = markAt(segment.starts_on, meter) ?? 0n;
    const units = overageUnits(allowed.get(meter)!, before, atEnd);
    const plan = terms.plans.find(({ rates }) => rates !== null && Object.hasOwn(rates, meter))!;
    const amount = overagePrice(units, plan.rates![meter]!, minorDigits(currencyOf(terms)!)!);
    const known = Object.hasOwn(billed, meter) ? billed[meter]! : { units: "0", amount: "0" };
    const owed = amount - BigInt(known.amount);
    if (owed === 0n && units === BigInt(known.units)) continue;
    const line = overageLine(segment, plan, meter, units - BigInt(known.units), owed);
    pending.push({ segment, meter, units, amount, line });
  }
  return pending;
}

function overageLine(segment: SegmentRow, plan: PlanTerms, meter: string, units: Amount, amount: Minor): DraftLine {
  const { tiers = [], tierMode } = plan.rates![meter]!;
  return {
    kind: "overage",
    planId: plan.id,
    meter,
    description: plan.meters[meter]?.label ?? meter,
    quantity: numberOf(units),
    ...(tiers.length === 1 && tierMode === "graduated" ? { unitAmount: tiers[0]!.unitAmount } : {}),
    amount,
    periodStart: segment.starts_on,
    periodEnd: segment.ends_on!,
  };
}

/** Takes the pending overage into an invoice. */
export async function billOverage(
  transaction: WriteTransaction,
  subscription: Subscription,
  at: number,
): Promise<DraftLine[]> {
  const pending = await pendingOverage(transaction, subscription, at);
  for (const [seq, lines] of Map.groupBy(pending, ({ segment }) => segment.seq)) {
    const billed = JSON.parse(lines[0]!.segment.billed) as Record<string, Billed>;
    for (const { meter, units, amount } of lines) billed[meter] = { units: String(units), amount: String(amount) };
    await setBilled(transaction, seq, JSON.stringify(billed));
  }
  return pending.map(({ line }) => line).filter(({ amount }) => amount !== 0n);
}
