import { paymentsOf } from "../../../../lib/text/invoice-payments.ts";
import type { presentInvoice } from "../invoices/present-invoice.ts";

export type ShownInvoice = ReturnType<typeof presentInvoice>;
type Line = ShownInvoice["lines"][number];

interface Address {
  line1?: string;
  line2?: string;
  postalCode?: string;
  city?: string;
  state?: string;
  country: string;
}

/** What an invoice or a credit note shows, as a page and as a PDF. */
export interface InvoiceContent {
  title: string;
  state: string | undefined;
  dates: { name: string; value: string }[];
  parties: { title: string; lines: string[] }[];
  columns: readonly string[];
  rows: ContentRow[];
  sums: { name: string; amount: string; isTotal: boolean }[];
  notes: string[];
}

interface ContentRow {
  description: string;
  note: string | undefined;
  period: string;
  quantity: string;
  unitAmount: string;
  amount: string;
}

/** @param corrected the invoice that a credit note corrects */
export function contentOf(invoice: ShownInvoice, corrected?: ShownInvoice): InvoiceContent {
  return {
    title: `${invoice.type === "invoice" ? "Invoice" : "Credit note"} ${invoice.number ?? "(draft)"}`,
    state: stateOf(invoice),
    dates: datesOf(invoice, corrected),
    parties: [
      { title: "From", lines: sellerLines(invoice) },
      { title: "To", lines: buyerLines(invoice) },
    ],
    columns: ["Description", "Period", "Quantity", "Unit price", "Amount"],
    rows: invoice.lines.filter(({ kind }) => kind !== "tax").map(rowOf),
    sums: sumsOf(invoice),
    notes: [
      ...(invoice.taxBehavior === "inclusive" ? ["Prices include tax."] : []),
      ...(invoice.taxNote === undefined ? [] : [invoice.taxNote]),
    ],
  };
}

function stateOf({ type, status }: ShownInvoice): string | undefined {
  if (type === "credit-note") return undefined;
  return {
    draft: "Draft: not an invoice yet",
    open: undefined,
    paid: "Paid",
    uncollectible: "Uncollectible",
    void: "Void: nothing is due",
  }[status];
}

function datesOf(invoice: ShownInvoice, corrected: ShownInvoice | undefined): InvoiceContent["dates"] {
  const { createdOn, finalizedOn, dueOn, paidOn, reference, type, status } = invoice;
  const isInvoice = type === "invoice";
  const rows: [string, string | undefined][] = [
    ["Date", dateOf(finalizedOn ?? createdOn)],
    ["Due", isInvoice && status === "open" && dueOn ? dateOf(dueOn) : undefined],
    ["Paid", isInvoice && paidOn ? dateOf(paidOn) : undefined],
    ["Refunded", refundOf(invoice)],
    ["Reference", reference],
    ["Corrects invoice", corrected?.number],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : { name, value }));
}

/** What is returned of an invoice, or by a credit note. */
export function refundedOf({ refunded, refund }: Pick<ShownInvoice, "refunded" | "refund">): string | undefined {
  return refund?.state === "failed" ? undefined : (refund?.amount ?? refunded);
}

function refundOf(invoice: ShownInvoice): string | undefined {
  const { refund, currency } = invoice;
  if (refund?.state === "failed") return "Failed: added to the credits";
  const amount = refundedOf(invoice);
  return amount && `${amount} ${currency}${refund?.state === "pending" ? " (pending)" : ""}`;
}

function sellerLines({ seller }: ShownInvoice): string[] {
  if (!seller) return [];
  return [seller.legalName, ...addressLines(seller.address), ...(seller.taxId ? [`Tax id ${seller.taxId}`] : [])];
}

function buyerLines({ buyer, customerKey }: ShownInvoice): string[] {
  const { legalName = customerKey, address, email, taxIds = [] } = buyer ?? {};
  return [
    legalName,
    ...(address ? addressLines(address) : []),
    ...(email ? [email] : []),
    ...taxIds.map((id: string) => `Tax id ${id}`),
  ];
}

/** Created with the first invoice, because that takes 3 ms. */
let countries: Intl.DisplayNames | undefined;

function addressLines({ line1, line2, postalCode, city, state, country }: Address): string[] {
  countries ??= new Intl.DisplayNames("en", { type: "region" });
  const place = [postalCode, city, state].filter((part) => part !== undefined && part !== "").join(" ");
  return [line1 ?? "", line2 ?? "", place, countries.of(country) ?? country].filter((line) => line !== "");
}

const kindNotes: Partial<Record<Line["kind"], string>> = {
  overage: "Usage beyond the plan",
  proration: "Change during the period",
};

function rowOf({ kind, description, meter, quantity, unitAmount, amount, periodStart, periodEnd }: Line): ContentRow {
  const isInstant = periodStart === periodEnd;
  return {
    description: description ?? meter ?? kind,
    note: kindNotes[kind],
    period: isInstant ? dateOf(periodStart) : `${dateOf(periodStart)} – ${dateOf(periodEnd)}`,
    quantity: String(quantity),
    unitAmount: unitAmount === undefined ? "" : grouped(unitAmount),
    amount: grouped(amount),
  };
}

/** Taxes that are added come before the total, those that prices include after it. */
function sumsOf(invoice: ShownInvoice): InvoiceContent["sums"] {
  const { type, status, lines, currency, taxBehavior, subtotal, total, amountDue } = invoice;
  const taxes = lines.filter(({ kind }) => kind === "tax");
  const isInclusive = taxBehavior === "inclusive";
  const isDue = type === "invoice" && (status !== "draft" || amountDue !== total);
  const sum = (name: string, amount: string, isTotal = false) => ({ name, amount: grouped(amount), isTotal });
  const added = taxes.filter(({ isIncluded }) => !isIncluded);
  const included = taxes.filter(({ isIncluded }) => isIncluded);
  return [
    ...(isInclusive ? [] : [sum("Subtotal", subtotal)]),
    ...added.map(({ description = "Tax", amount }) => sum(description, amount)),
    sum(`Total ${currency}`, total, true),
    ...included.map(({ description = "tax", amount }) => sum(`Includes ${description}`, amount)),
    ...(included.length === 0 ? [] : [sum("Total without tax", subtotal)]),
    ...paymentsOf(invoice).map(({ label, amount }) => sum(label, amount)),
    ...(isDue ? [sum(`Amount due ${currency}`, amountDue, true)] : []),
  ];
}

/** The day in UTC, as in the API. */
function dateOf(time: string): string {
  return time.slice(0, 10);
}

/** Groups of three digits before the point, separated by a narrow space: `-12 345.60`. */
function grouped(amount: string): string {
  return amount.replace(/^-/, "\u2212").replace(/\d(?=(\d{3})+(?!\d))(?<!\.\d*)/g, "$&\u202f");
}
