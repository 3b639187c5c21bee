import type { z } from "zod";
import { minorDigits } from "../../../../lib/currencies.ts";
import { type Fraction, fraction, larger, one, parsePrice, rest, shareOfPrice } from "../../../../lib/money.ts";
import { formatMinor, type Minor, parseMinor } from "../../../../lib/text/minor-units.ts";
import { type Period, periodAt } from "../../../../lib/time/calendar.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { BillingData, ChargedFee } from "../../subscriptions/state.ts";
import type { invoiceLine } from "../schemas/invoice-schema.ts";
import type { PlanTerms } from "./segments.ts";

/** A line as it is stored and returned. */
export type InvoiceLine = z.output<typeof invoiceLine>;

/** A line of an invoice, by its index. */
export type LineReference = NonNullable<InvoiceLine["credits"]>;

/** A line before it is stored. */
export interface DraftLine extends Omit<InvoiceLine, "amount" | "periodStart" | "periodEnd"> {
  amount: Minor;
  periodStart: number;
  periodEnd: number;
}

export function storedLine(line: DraftLine, currency: string): InvoiceLine {
  return {
    ...line,
    amount: formatMinor(line.amount, minorDigits(currency)!),
    periodStart: formatDateTime(line.periodStart),
    periodEnd: formatDateTime(line.periodEnd),
  };
}

/** The stored lines of an invoice. */
export function invoiceLinesOf({ lines, currency }: { lines: string; currency: string }): DraftLine[] {
  return (JSON.parse(lines) as InvoiceLine[]).map((line) => ({
    ...line,
    amount: parseMinor(line.amount, minorDigits(currency)!)!,
    periodStart: Date.parse(line.periodStart),
    periodEnd: Date.parse(line.periodEnd),
  }));
}

/** A credit of promotional or prepaid grants, which reduces the invoice before tax. */
export function creditLine(
  funding: "promotional" | "prepaid",
  amount: Minor,
  { meter, periodStart, periodEnd }: Pick<DraftLine, "meter" | "periodStart" | "periodEnd">,
): DraftLine {
  return {
    kind: "credit",
    ...(meter === undefined ? {} : { meter }),
    description: funding === "prepaid" ? "Prepaid credit" : "Promotional credit",
    funding,
    quantity: 1,
    amount: -amount,
    periodStart,
    periodEnd,
  };
}

/** What the lines of an invoice add up to. Taxes that the other lines include count once. */
export function totalOf(lines: Pick<DraftLine, "amount" | "isIncluded">[]): Minor {
  return sumOf(lines.filter(({ isIncluded }) => !isIncluded));
}

export function sumOf(lines: { amount: Minor }[]): Minor {
  return lines.reduce((sum, { amount }) => sum + amount, 0n);
}

/**
 * Charges the fees of plans that are not charged at a time: for the rest of the billing period, to the millisecond.
 * Records them in `charged`.
 */
export function chargeFees(
  plans: PlanTerms[],
  charged: BillingData["charged"],
  anchor: number,
  at: number,
  kind: "plan" | "proration",
): DraftLine[] {
  const lines: DraftLine[] = [];
  for (const { seq, id, label, price } of plans) {
    if (!price || isCharged(charged[seq], at)) continue;
    const { currency, amount } = price;
    const period = periodAt(anchor, price.interval === "year" ? "yearly" : "monthly", at);
    charged[seq] = { planId: id, label, currency, amount, from: period.start, until: period.end };
    const share = fraction(period.end - at, period.end - period.start);
    const minor = shareOfPrice(parsePrice(amount)!, share, minorDigits(currency)!);
    if (minor === 0n) continue;
    lines.push({
      kind,
      planId: id,
      description: label,
      quantity: 1,
      ...(at === period.start ? { unitAmount: amount } : {}),
      amount: minor,
      periodStart: at,
      periodEnd: period.end,
    });
  }
  return lines;
}

export function isCharged(fee: ChargedFee | undefined, at: number): boolean {
  return fee !== undefined && fee.until > at;
}

/** The part of a quota period that was used: the largest of its meters. */
export interface UsedShare {
  share: Fraction;
  period: Period;
}

/** The largest used share of the meters that have a maximum. */
export function usedShareOf(
  used: ReadonlyMap<string, bigint>,
  allowed: ReadonlyMap<string, { max: bigint }>,
): Fraction {
  let share = fraction(0, 1);
  for (const [meter, { max }] of allowed) {
    if (max <= 0n) continue;
    const amount = used.get(meter) ?? 0n;
    share = larger(share, amount >= max ? one : fraction(amount, max));
  }
  return share;
}

/** The credit of the unused share of a charged fee, whether it was paid or not: fee × (1 − the larger of the elapsed and the used share). */
export function creditFee(fee: ChargedFee, at: number, used: UsedShare): DraftLine | undefined {
  const length = fee.until - fee.from;
  const elapsed = fraction(at - fee.from, length);
  const consumed = larger(elapsed, usedShareOfFee(fee, used));
  const minor = shareOfPrice(parsePrice(fee.amount)!, rest(consumed), minorDigits(fee.currency)!);
  if (minor === 0n) return undefined;
  const { planId, label: description } = fee;
  return { kind: "proration", planId, description, quantity: 1, amount: -minor, periodStart: at, periodEnd: fee.until };
}

/** With a yearly fee and monthly quotas, the used share of a month counts as time that has passed in that month. */
function usedShareOfFee({ from, until }: ChargedFee, { share, period }: UsedShare): Fraction {
  const start = BigInt(Math.max(0, period.start - from));
  const month = BigInt(period.end - period.start);
  const length = BigInt(until - from);
  const result = {
    numerator: start * share.denominator + month * share.numerator,
    denominator: length * share.denominator,
  };
  return result.numerator > result.denominator ? one : result;
}
