import { invalid } from "../../../../core/problems/problem.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import { formatMinor, type Minor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { pageOf } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type DraftLine, invoiceLinesOf } from "../plan-terms/lines.ts";
import { finalizedBetween, type InvoiceRow, lateInvoicesAfter } from "./invoice-store.ts";
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

interface PaymentFilter {
  customerKey?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

const columns = [
  ...(["seq", "id", "number", "corrects_id", "customer_key", "currency", "status", "total", "from_credits"] as const),
  ...(["credited", "collected", "refunded", "refund_state", "paid_on", "payment_reference"] as const),
];

/** A paid invoice has one payment, unless credits have paid all of it; a credit note may have a refund. */
const isPayment = `((corrects_id IS NULL AND status = 'paid' AND collected <> '0')
  OR (corrects_id IS NOT NULL AND refund_state <> 'failed'))`;

/** Payments that were received and refunds that did not fail, in the order in which they were made. */
export async function listPayments(
  reads: Reads,
  { seq }: Pick<MeteringBucket, "seq">,
  { customerKey, from, to }: PaymentFilter,
  paging: Paging,
) {
  const conditions: [string, unknown][] = [["paid_on IS NOT NULL AND bucket_seq = ?", seq]];
  if (customerKey !== undefined) conditions.push(["customer_key = ?", customerKey]);
  if (from !== undefined) conditions.push(["paid_on >= ?", from]);
  if (to !== undefined) conditions.push(["paid_on < ?", to]);
  const matching = `FROM invoices WHERE ${conditions.map(([condition]) => condition).join(" AND ")} AND ${isPayment}`;
  const parameters = conditions.map(([, value]) => value);
  const query = `SELECT ${columns.join(", ")} ${matching} ORDER BY paid_on, seq`;
  const { data, total } = await pageOf<PaymentRow>(reads, query, matching, parameters, paging);
  return { data: data.map(presentPayment), total };
}

type PaymentRow = Pick<InvoiceRow, (typeof columns)[number]>;

function presentPayment(row: PaymentRow) {
  const isRefund = row.corrects_id !== null;
  const amount = isRefund ? row.refunded : (row.collected ?? "0");
  return {
    type: isRefund ? ("refund" as const) : ("payment" as const),
    customerKey: row.customer_key,
    invoiceId: row.corrects_id ?? row.id,
    ...(isRefund ? { creditNoteId: row.id } : {}),
    ...(row.number === null ? {} : { number: row.number }),
    currency: row.currency,
    amount: formatMinor(BigInt(amount), minorDigits(row.currency)!),
    state: isRefund ? (row.refund_state as "pending" | "succeeded") : ("succeeded" as const),
    paidOn: formatDateTime(row.paid_on!),
    ...(row.payment_reference === null ? {} : { reference: row.payment_reference }),
  };
}

/**
 * What is due of open invoices that are late, by currency: those whose payment failed before the due date, and those
 * that were not paid by it.
 */
export async function lateInvoices(reads: Reads, bucketSeqs: number[]) {
  const sums = { failed: new Map<string, LateTotal>(), overdue: new Map<string, LateTotal>() };
  for (const bucketSeq of bucketSeqs)
    for (let after = 0; ; ) {
      const rows = await lateInvoicesAfter(reads, bucketSeq, after);
      for (const { currency, amount_due, failed_on, due_on } of rows) {
        const kind = due_on !== null && failed_on < due_on ? sums.failed : sums.overdue;
        const sum = kind.get(currency) ?? { amount: 0n, invoices: 0 };
        kind.set(currency, { amount: sum.amount + BigInt(amount_due), invoices: sum.invoices + 1 });
      }
      if (rows.length === 0) break;
      after = rows.at(-1)!.seq;
      await yieldToEventLoop();
    }
  return { failed: presentLate(sums.failed), overdue: presentLate(sums.overdue) };
}

interface LateTotal {
  amount: Minor;
  invoices: number;
}

function presentLate(sums: Map<string, LateTotal>) {
  return [...sums]
    .map(([currency, { amount, invoices }]) => ({
      currency,
      amount: formatMinor(amount, minorDigits(currency)!),
      invoices,
    }))
    .sort((one, other) => one.currency.localeCompare(other.currency));
}
