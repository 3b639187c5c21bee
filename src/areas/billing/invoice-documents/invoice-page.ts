import { createHash } from "node:crypto";
import { escapeHtml } from "../../../lib/text/html.ts";
import { paymentsOf } from "../../../lib/text/invoice-payments.ts";
import type { presentInvoice } from "../invoices/present-invoice.ts";
import { invoiceStyles } from "./invoice-styles.ts";

export type ShownInvoice = ReturnType<typeof presentInvoice>;
type Line = ShownInvoice["lines"][number];

interface Address {
  line1: string;
  line2?: string;
  postalCode?: string;
  city?: string;
  state?: string;
  country: string;
}

/** The page has no script, and loads and sends nothing. */
export const invoicePagePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256")
  .update(invoiceStyles)
  .digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

/** An invoice or a credit note as a page to print. `corrected` is the invoice that a credit note corrects. */
export function invoicePage(invoice: ShownInvoice, corrected?: ShownInvoice): string {
  const title = `${invoice.type === "invoice" ? "Invoice" : "Credit note"} ${invoice.number ?? "(draft)"}`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title><style>${invoiceStyles}</style></head><body><main>`,
    `<header><div><h1>${escapeHtml(title)}</h1>${stateOf(invoice)}</div>${datesOf(invoice, corrected)}</header>`,
    `<section class="parties">${party("From", sellerLines(invoice))}${party("To", buyerLines(invoice))}</section>`,
    linesTable(invoice),
    sumsTable(invoice),
    "</main></body></html>",
  ].join("\n");
}

function stateOf({ type, status }: ShownInvoice): string {
  if (type === "credit-note") return "";
  const texts = {
    draft: "Draft: not an invoice yet",
    open: "",
    paid: "Paid",
    uncollectible: "Uncollectible",
    void: "Void: nothing is due",
  };
  return texts[status] === "" ? "" : `<p class="state">${texts[status]}</p>`;
}

function datesOf(invoice: ShownInvoice, corrected: ShownInvoice | undefined): string {
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
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl>${shown.join("")}</dl>`;
}

function refundOf({ refunded, refund, currency }: ShownInvoice): string | undefined {
  if (refund?.state === "failed") return "Failed: added to the credits";
  const amount = refund?.amount ?? refunded;
  return amount && `${amount} ${currency}${refund?.state === "pending" ? " (pending)" : ""}`;
}

function party(title: string, lines: string[]): string {
  return `<div><h2>${title}</h2><p class="lines">${escapeHtml(lines.join("\n"))}</p></div>`;
}

function sellerLines({ seller }: ShownInvoice): string[] {
  if (!seller) return [];
  return [seller.legalName, ...addressLines(seller.address), ...(seller.taxId ? [`Tax id ${seller.taxId}`] : [])];
}

function buyerLines({ buyer, customerKey }: ShownInvoice): string[] {
  const { legalName, address, email, taxIds = [] } = buyer ?? {};
  return [
    legalName ?? customerKey,
    ...(address ? addressLines(address) : []),
    ...(email ? [email] : []),
    ...taxIds.map((id: string) => `Tax id ${id}`),
  ];
}

const countries = new Intl.DisplayNames("en", { type: "region" });

function addressLines({ line1, line2, postalCode, city, state, country }: Address): string[] {
  const place = [postalCode, city, state].filter((part) => part !== undefined && part !== "").join(" ");
  return [line1, line2 ?? "", place, countries.of(country) ?? country].filter((line) => line !== "");
}

const kindNotes: Partial<Record<Line["kind"], string>> = {
  overage: "Usage beyond the plan",
  proration: "Change during the period",
};

function linesTable({ lines }: ShownInvoice): string {
  const rows = lines.filter(({ kind }) => kind !== "tax").map(lineRow);
  return [
    '<table><thead><tr><th scope="col">Description</th><th scope="col" class="period">Period</th>',
    '<th scope="col" class="number">Quantity</th><th scope="col" class="number">Unit price</th>',
    `<th scope="col" class="number">Amount</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`,
  ].join("");
}

function lineRow({ kind, description, meter, quantity, unitAmount, amount, periodStart, periodEnd }: Line): string {
  const note = kindNotes[kind];
  const isInstant = periodStart === periodEnd;
  const period = isInstant ? dateOf(periodStart) : `${dateOf(periodStart)} – ${dateOf(periodEnd)}`;
  return [
    `<tr><td>${escapeHtml(description ?? meter ?? kind)}${note ? `<div class="note">${note}</div>` : ""}</td>`,
    `<td class="period">${period}</td><td class="number">${quantity}</td>`,
    `<td class="number">${unitAmount === undefined ? "" : grouped(unitAmount)}</td>`,
    `<td class="number">${grouped(amount)}</td></tr>`,
  ].join("");
}

function sumsTable(invoice: ShownInvoice): string {
  const { type, status, lines, currency, subtotal, total, amountDue } = invoice;
  const taxes = lines.filter(({ kind }) => kind === "tax");
  const isDue = type === "invoice" && (status !== "draft" || amountDue !== total);
  const rows = [
    sumRow("Subtotal", subtotal),
    ...taxes.map(({ description = "Tax", amount }) => sumRow(description, amount)),
    sumRow(`Total ${currency}`, total, "total"),
    ...paymentsOf(invoice).map(({ label, amount }) => sumRow(label, amount)),
    ...(isDue ? [sumRow(`Amount due ${currency}`, amountDue, "total")] : []),
  ];
  return `<table class="sums"><tbody>${rows.join("")}</tbody></table>`;
}

function sumRow(name: string, amount: string, style?: string): string {
  const attribute = style === undefined ? "" : ` class="${style}"`;
  return `<tr${attribute}><th scope="row">${escapeHtml(name)}</th><td class="number">${grouped(amount)}</td></tr>`;
}

/** The day in UTC, as in the API. */
function dateOf(time: string): string {
  return time.slice(0, 10);
}

/** Groups of three digits before the point, separated by a narrow space: `-12 345.60`. */
function grouped(amount: string): string {
  return amount.replace(/^-/, "\u2212").replace(/\d(?=(\d{3})+(?!\d))(?<!\.\d*)/g, "$&\u202f");
}
