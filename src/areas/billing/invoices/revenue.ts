import { invalid } from "../../../core/problems/problem.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import { formatMinor, type Minor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type DraftLine, invoiceLinesOf } from "../plan-terms/lines.ts";
import { finalizedBetween } from "./invoice-store.ts";
import { linesWithoutTax } from "./taxes.ts";

const maxMonths = 36;
const defaultMonths = 12;

interface Sums {
  month: string;
  currency: string;
  planId: string | undefined;
  fees: Minor;
  overage: Minor;
  credits: Minor;
}

/** The first moment of a month, given as the year's and the month's number, in UTC. */
export function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

export function monthsBefore(month: string, count: number): string {
  const date = new Date(startOf(month));
  return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count));
}

export interface MonthRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** The first and the last month of a range, which has 12 months by default. */
export function monthsIn(range: MonthRange, now: number): { from: string; to: string } {
  const to = range.to ?? monthOf(now);
  const from = range.from ?? monthsBefore(to, defaultMonths - 1);
  if (from > to) throw invalid("?from", "must not be after to");
  if (from < monthsBefore(to, maxMonths - 1)) throw invalid("?from", `must be less than ${maxMonths} months before to`);
  return { from, to };
}

/**
 * What was invoiced in each month, by plan, without taxes. Void invoices do not count. Credit notes count as negative,
 * in the month in which they were created.
 */
export async function revenueOf(reads: Reads, bucket: MeteringBucket, range: MonthRange, now: number) {
  const { from, to } = monthsIn(range, now);
  const sums = new Map<string, Sums>();
  const slice = new Slice();
  for await (const invoice of finalizedBetween(reads, bucket.seq, startOf(from), startOf(monthsBefore(to, -1)))) {
    if (slice.isOver) await slice.next();
    if (invoice.status === "void") continue;
    const isCreditNote = invoice.corrects_id !== null;
    for (const line of linesWithoutTax(invoiceLinesOf(invoice))) {
      const part = partOf(line, isCreditNote);
      if (part)
        add(sums, monthOf(invoice.finalized_on!), invoice.currency, line.planId, part, line.amount, isCreditNote);
    }
  }
  const data = [...sums.values()].map(present).toSorted(byMonth);
  return { from, to, data };
}

/** A positive credit moves a negative total to the balance. */
function partOf({ kind, amount, meter }: DraftLine, isCreditNote: boolean): "fees" | "overage" | "credits" | undefined {
  if (kind === "credit" && amount > 0n && !isCreditNote) return undefined;
  if (isCreditNote || kind === "credit") return "credits";
  // A credit of usage that turned out to cost less has a meter too.
  return kind === "overage" || meter !== undefined ? "overage" : "fees";
}

function add(
  sums: Map<string, Sums>,
  month: string,
  currency: string,
  planId: string | undefined,
  part: "fees" | "overage" | "credits",
  amount: Minor,
  isCreditNote: boolean,
): void {
  const key = `${month} ${currency} ${planId ?? ""}`;
  const sum = sums.get(key) ?? { month, currency, planId, fees: 0n, overage: 0n, credits: 0n };
  sum[part] += isCreditNote ? -amount : amount;
  sums.set(key, sum);
}

function present({ month, currency, planId, fees, overage, credits }: Sums) {
  const money = (amount: Minor) => formatMinor(amount, minorDigits(currency)!);
  return {
    month,
    currency,
    ...(planId === undefined ? {} : { planId }),
    fees: money(fees),
    overage: money(overage),
    credits: money(credits),
    total: money(fees + overage + credits),
  };
}

function byMonth(one: { month: string; currency: string }, other: { month: string; currency: string }): number {
  return one.month.localeCompare(other.month) || one.currency.localeCompare(other.currency);
}
