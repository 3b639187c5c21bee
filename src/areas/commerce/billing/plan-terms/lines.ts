import { minorDigits } from "../../../../lib/currencies.ts";
import { formatMinor, type Minor, parseMinor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { lineKinds } from "../schemas/invoice-schema.ts";

type LineKind = (typeof lineKinds)[number];

/** A line of an invoice, by its index. */
export interface LineReference {
  invoiceId: string;
  line: number;
}

/** A line before it is stored. */
export interface DraftLine {
  kind: LineKind;
  planId?: string | undefined;
  meter?: string | undefined;
  description?: string | undefined;
  /** Of a credit before tax: the funding of the grants that it comes from. */
  funding?: "promotional" | "prepaid" | undefined;
  quantity: number;
  unitAmount?: string | undefined;
  amount: Minor;
  /** Of a tax that the other lines include: it does not add to the total. */
  isIncluded?: true | undefined;
  periodStart: number;
  periodEnd: number;
  /** The line whose amount it credits. */
  credits?: LineReference | undefined;
}

/** A line as it is stored and returned. */
export interface InvoiceLine {
  kind: LineKind;
  planId?: string | undefined;
  meter?: string | undefined;
  description?: string | undefined;
  funding?: "promotional" | "prepaid" | undefined;
  quantity: number;
  unitAmount?: string | undefined;
  amount: string;
  isIncluded?: true | undefined;
  periodStart: string;
  periodEnd: string;
  credits?: LineReference | undefined;
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
