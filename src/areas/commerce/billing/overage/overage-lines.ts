import { consumedIn } from "../../../../counting/counters/counter-store.ts";
import { type Amount, numberOf } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { lockCounters, marksOf, type UsageMark } from "../../metering/counters/usage-marks.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { MeterRate } from "../../plans/price-schema.ts";
import { lateMilliseconds } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { plus, writtenOffAt } from "../credit-grants/money-terms.ts";
import { type CreditUse, CreditUses, saveUse } from "../credit-grants/use-store.ts";
import { creditLine, type DraftLine } from "../plan-terms/lines.ts";
import {
  type BillingSegmentRow,
  billingSegmentsOf,
  currencyOf,
  hasPricedMeters,
  type PlanTerms,
  pricedMeters,
  recentSegmentsOf,
  segmentAllowancesIn,
  segmentTermsOf,
} from "../plan-terms/segments.ts";
import { overagePrice, overageUnits } from "./overage-price.ts";

/** What was billed of a segment's meter. */
interface Billed {
  units: string;
  amount: string;
}

interface PendingLine {
  segment: BillingSegmentRow;
  meter: string;
  units: Amount;
  amount: Minor;
  /** What was billed before, without what no money covered. */
  billed: Minor;
  /** What is subtracted because no money covers it. */
  writtenOff: Minor;
  currency: string;
  line: DraftLine;
}

/** The time from which a segment's overage can be billed: after the period, or after the subscription's end in it. */
function billableFrom(segment: BillingSegmentRow, later: BillingSegmentRow[]): number {
  if (segment.ends_on === null) return Number.POSITIVE_INFINITY;
  const end = later.find(({ kind, period_start }) => kind === "idle" && period_start === segment.period_start);
  return (end?.starts_on ?? segment.period_end) + lateMilliseconds;
}

/**
 * The overage of ended periods that is not billed: the rounded price of the usage now minus what was billed, under the
 * terms of each segment. It also contains usage that arrived late.
 */
export async function pendingOverage(
  reads: Reads,
  { row }: Pick<Subscription, "row">,
  at: number,
): Promise<PendingLine[]> {
  const segments = await billingSegmentsOf(reads, row.seq);
  const uses = await CreditUses.read(reads, row.seq);
  const isWanted = (segment: BillingSegmentRow, index: number) =>
    segment.ends_on !== null && billableFrom(segment, segments.slice(index + 1)) <= at;
  const overage = await overageInAll(reads, row.seq, segments, { isWanted });
  return overage.flatMap((each) => pendingOf(each, uses) ?? []);
}

/** Locks the usage that is billable at a time, so that all that follows in the transaction bills the same usage. */
export async function lockBillable(transaction: WriteTransaction, seq: number, since: number, at: number) {
  const segments = await recentSegmentsOf(transaction, seq, since);
  const billable = segments.filter(
    (segment, index) => hasPricedMeters(segment) && billableFrom(segment, segments.slice(index + 1)) <= at,
  );
  const meters = new Map<number, Set<string>>();
  for (const segment of billable) {
    const known = meters.get(segment.period_start) ?? new Set();
    meters.set(segment.period_start, known);
    for (const meter of pricedMeters(segmentTermsOf(segment))) known.add(meter);
  }
  const counters = [...meters].flatMap(([periodStart, names]) =>
    [...names].map((meter) => ({ subscriptionSeq: seq, periodStart, meter })),
  );
  if (counters.length > 0) await lockCounters(transaction, counters);
}

/** The usage of a meter in a segment that is beyond the allowance. */
export interface SegmentOverage {
  segment: BillingSegmentRow;
  meter: string;
  /** The total from which on usage is beyond the allowance. */
  start: Amount;
  units: Amount;
  allowance: Amount;
  /** What was used in the period before the segment, and until its end. */
  before: Amount;
  atEnd: Amount;
  plan: PlanTerms;
  rate: MeterRate;
  currency: string;
}

/** What is held from the quotas of a subscription in a period and not counted yet, by meter. */
export type HeldUsage = (subscriptionSeq: number, periodStart: number) => ReadonlyMap<string, Amount> | undefined;

/** The usage of each meter in a period, as if what is held were used. */
export async function usedWithHeld(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  held: HeldUsage | undefined,
): Promise<Map<string, Amount>> {
  const used = new Map(await usedInPeriod(reads, subscriptionSeq, periodStart));
  for (const [meter, amount] of held?.(subscriptionSeq, periodStart) ?? [])
    used.set(meter, (used.get(meter) ?? 0n) + amount);
  return used;
}

/** The overage of each billed meter in a segment, as of now. */
export async function overageIn(
  reads: Reads,
  subscriptionSeq: number,
  segment: BillingSegmentRow,
  next: BillingSegmentRow | undefined,
  marks: UsageMark[],
  held?: HeldUsage,
): Promise<SegmentOverage[]> {
  const terms = segmentTermsOf(segment);
  const used = await usedWithHeld(reads, subscriptionSeq, segment.period_start, held);
  const ofPeriod = marks.filter(({ periodStart }) => periodStart === segment.period_start);
  const byPlace = new Map(ofPeriod.map((mark) => [`${mark.segmentSeq} ${mark.meter}`, mark.used]));
  const usedBefore = ({ seq }: BillingSegmentRow, meter: string) => byPlace.get(`${seq} ${meter}`);
  const isLastOfPeriod = next === undefined || next.period_start !== segment.period_start;
  const hasEnded = !isLastOfPeriod && next.kind === "idle";
  const lateAfter = hasEnded ? await lateConsumption(reads, subscriptionSeq, next, ofPeriod) : undefined;
  const overage: SegmentOverage[] = [];
  const meters = pricedMeters(terms);
  const allowed = await segmentAllowancesIn(reads, segment, terms, meters);
  for (const meter of meters) {
    const total = used.get(meter) ?? 0n;
    const marked = isLastOfPeriod ? undefined : usedBefore(next, meter);
    const atEnd = marked === undefined ? total : marked + (lateAfter?.(meter) ?? 0n);
    const before = usedBefore(segment, meter) ?? 0n;
    const allowance = allowed.get(meter)!;
    const plan = terms.plans.find(({ rates }) => rates !== null && Object.hasOwn(rates, meter))!;
    overage.push({
      segment,
      meter,
      start: allowance > before ? allowance : before,
      units: overageUnits(allowance, before, atEnd),
      allowance,
      before,
      atEnd,
      plan,
      rate: plan.rates![meter]!,
      currency: currencyOf(terms)!,
    });
  }
  return overage;
}

interface OverageOptions {
  isWanted?(segment: BillingSegmentRow, index: number): boolean;
  held?: HeldUsage | undefined;
}

/** The overage in those of some segments that are wanted, if their meters have prices. */
export async function overageInAll(
  reads: Reads,
  subscriptionSeq: number,
  segments: BillingSegmentRow[],
  { isWanted = () => true, held }: OverageOptions = {},
): Promise<SegmentOverage[]> {
  const marks = await marksOf(reads, subscriptionSeq);
  const all: SegmentOverage[] = [];
  for (const [index, segment] of segments.entries())
    if (hasPricedMeters(segment) && isWanted(segment, index))
      all.push(...(await overageIn(reads, subscriptionSeq, segment, segments[index + 1], marks, held)));
  return all;
}

/**
 * What was consumed after a subscription had ended: requests began before, and were counted since, by other nodes or because
 * they took long. No request begins in the time without a subscription, so it belongs to the time before.
 * @param marks those of the period, in order
 */
async function lateConsumption(
  reads: Reads,
  subscriptionSeq: number,
  { seq, period_start }: BillingSegmentRow,
  marks: UsageMark[],
): Promise<(meter: string) => Amount> {
  const consumed = await consumedIn(reads, subscriptionSeq, period_start);
  return (meter) => {
    const own = marks.filter((mark) => mark.meter === meter);
    const then = own.find(({ segmentSeq }) => segmentSeq === seq)!.consumed;
    // It ends where the subscription is active again.
    const until = own.find(({ segmentSeq }) => segmentSeq > seq)?.consumed ?? consumed.get(meter) ?? 0n;
    return until - then;
  };
}

/**
 * The price of overage, without the units that meter grants cover. `owed` is what grants or an invoice pay of it: under a
 * prepaid rate, what no money covered is not owed.
 */
export function costOf({ segment, meter, units, rate, currency }: SegmentOverage, uses: CreditUses) {
  const use = uses.of(segment.period_start, segment.seq, meter);
  const billable = units > use.covered ? units - use.covered : 0n;
  const cost = overagePrice(billable, rate, minorDigits(currency)!);
  return { billable, cost, owed: cost - writtenOffAt(use, cost) };
}

export function isPrepaid({ rate }: SegmentOverage): boolean {
  return rate.overage === "prepaid";
}

/** Undefined if all of it is billed. */
function pendingOf(overage: SegmentOverage, uses: CreditUses): PendingLine | undefined {
  const { segment, meter, plan, currency } = overage;
  const { billable: units, cost } = costOf(overage, uses);
  const use = uses.of(segment.period_start, segment.seq, meter);
  // Of prepaid usage, only what was compared with credits is covered or written off.
  const amount = isPrepaid(overage) ? use.cost : cost;
  const known = billedOf(overage);
  const owed = amount - BigInt(known.amount);
  if (owed === 0n && units === BigInt(known.units)) return undefined;
  const { shown, writtenOff } = writtenOffIn(owed, use);
  const line = overageLine(segment, plan, meter, units - BigInt(known.units), shown);
  const before = BigInt(known.amount) - use.shownWrittenOff;
  return { segment, meter, units, amount, billed: before, writtenOff, currency, line };
}

export function billedOf({ segment, meter }: Pick<SegmentOverage, "segment" | "meter">): Billed {
  const billed = JSON.parse(segment.billed) as Record<string, Billed>;
  return Object.hasOwn(billed, meter) ? billed[meter]! : { units: "0", amount: "0" };
}

/**
 * What an invoice shows of an amount whose price is prepaid, and what it then subtracts. Less usage first reduces what was
 * written off: that was never billed, so it is not returned.
 */
function writtenOffIn(owed: Minor, { writtenOff, shownWrittenOff }: CreditUse): { shown: Minor; writtenOff: Minor } {
  const more = writtenOff - shownWrittenOff;
  return more > 0n && more <= owed ? { shown: owed, writtenOff: more } : { shown: owed - more, writtenOff: 0n };
}

function overageLine(
  segment: BillingSegmentRow,
  plan: PlanTerms,
  meter: string,
  units: Amount,
  amount: Minor,
): DraftLine {
  const { tiers = [], tierMode } = plan.rates![meter]!;
  return {
    kind: "overage",
    planId: plan.id,
    meter,
    description: plan.meters[meter]?.label ?? meter,
    quantity: numberOf(units),
    ...(tiers.length === 1 && tierMode !== "package" ? { unitAmount: tiers[0]!.unitAmount } : {}),
    amount,
    periodStart: segment.starts_on,
    periodEnd: segment.ends_on!,
  };
}

/** Takes the pending overage into an invoice, and what grants paid of it as it occurred. */
export async function billOverage(
  transaction: WriteTransaction,
  subscription: Subscription,
  at: number,
  currency: string,
): Promise<BilledOverage> {
  const all = await pendingOverage(transaction, subscription, at);
  const pending = all.filter((each) => each.currency === currency);
  for (const [seq, lines] of Map.groupBy(pending, ({ segment }) => segment.seq)) {
    const billed = JSON.parse(lines[0]!.segment.billed) as Record<string, Billed>;
    for (const { meter, units, amount } of lines) billed[meter] = { units: String(units), amount: String(amount) };
    await transaction.update("billing_segments", seq, { billed: JSON.stringify(billed) });
  }
  const credits = await applyCredits(transaction, subscription.row.seq, pending);
  const lines = pending.map(({ line }) => line).filter(({ amount }) => amount > 0n);
  const corrections = pending
    .filter(({ line }) => line.amount < 0n)
    .map(({ segment, line, billed }) => ({
      line,
      billed,
      periodStart: segment.period_start,
      segmentSeq: segment.seq,
    }));
  const periods = new Map(pending.map(({ segment, currency }) => [segment.period_start, currency]));
  const otherCurrencies = new Set(all.map((each) => each.currency));
  otherCurrencies.delete(currency);
  return { ...credits, lines: [...lines, ...credits.lines], corrections, periods, otherCurrencies };
}

export interface UsageCorrection {
  line: DraftLine;
  /** What was billed of the usage before, without what no money covered. */
  billed: Minor;
  /** The start of the period, which may have several segments. */
  periodStart: number;
  segmentSeq: number;
}

/** Lines of an invoice, and what paid grants have paid of it already. */
export interface BilledOverage {
  lines: DraftLine[];
  /** Usage that costs less than what was billed of it, by negative amounts. */
  corrections: UsageCorrection[];
  paid: Minor;
  /** What no money covers under prepaid rates. The lines subtract it. */
  writtenOff: Minor;
  /** The currencies of the periods that it is a part of, by their start. */
  periods: Map<number, string>;
  /** In which there is overage too, for invoices of their own. */
  otherCurrencies: Set<string>;
}

/** Promotional and prepaid money reduces the invoice before tax, and so does what is written off. */
async function applyCredits(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  pending: PendingLine[],
): Promise<Pick<BilledOverage, "lines" | "paid" | "writtenOff">> {
  const uses = await CreditUses.read(transaction, subscriptionSeq);
  const lines: DraftLine[] = [];
  let sum = 0n;
  let sumWrittenOff = 0n;
  for (const { segment, meter, line, writtenOff } of pending) {
    const use = uses.of(segment.period_start, segment.seq, meter);
    const { promotional, prepaid, paid } = plus(use.money, use.shown, -1n);
    if (promotional !== 0n) lines.push(creditLine("promotional", promotional, line));
    if (prepaid !== 0n) lines.push(creditLine("prepaid", prepaid, line));
    if (writtenOff !== 0n) lines.push(uncoveredLine(writtenOff, line));
    sum += paid;
    sumWrittenOff += writtenOff;
    if (promotional !== 0n || prepaid !== 0n || paid !== 0n || use.writtenOff !== use.shownWrittenOff)
      await saveUse(transaction, { ...use, shown: use.money, shownWrittenOff: use.writtenOff });
  }
  return { lines, paid: sum, writtenOff: sumWrittenOff };
}

function uncoveredLine(amount: Minor, { planId, meter, periodStart, periodEnd }: DraftLine): DraftLine {
  const description = "Not covered by prepaid credit, not billed";
  return { kind: "credit", planId, meter, description, quantity: 1, amount: -amount, periodStart, periodEnd };
}
