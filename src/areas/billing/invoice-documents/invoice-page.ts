import { createHash } from "node:crypto";
import { escapeHtml } from "../../../lib/text/html.ts";
import type { InvoiceContent } from "./invoice-content.ts";
import { invoiceStyles } from "./invoice-styles.ts";

/** The page has no script, and loads and sends nothing. */
export const invoicePagePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256")
  .update(invoiceStyles)
  .digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

/**
 * An invoice or a credit note as a page to print.
 * @param pdfUrl where it is a PDF, if it has one
 */
export function invoicePage(content: InvoiceContent, pdfUrl?: string): string {
  const title = escapeHtml(content.title);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${title}</title><style>${invoiceStyles}</style></head><body><main>`,
    pdfUrl === undefined ? "" : `<p class="links"><a href="${escapeHtml(pdfUrl)}" download>Download PDF</a></p>`,
    `<header><div><h1>${title}</h1>${stateOf(content)}</div>${datesOf(content)}</header>`,
    `<section class="parties">${content.parties.map(party).join("")}</section>`,
    linesTable(content),
    sumsTable(content),
    ...content.notes.map((note) => `<p class="tax-note">${escapeHtml(note)}</p>`),
    "</main></body></html>",
  ].join("\n");
}

function stateOf({ state }: InvoiceContent): string {
  return state === undefined ? "" : `<p class="state">${state}</p>`;
}

function datesOf({ dates }: InvoiceContent): string {
  return `<dl>${dates.map(({ name, value }) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`;
}

function party({ title, lines }: InvoiceContent["parties"][number]): string {
  return `<div><h2>${title}</h2><p class="lines">${escapeHtml(lines.join("\n"))}</p></div>`;
}

function linesTable({ columns, rows }: InvoiceContent): string {
  const [description, period, ...numbers] = columns;
  return [
    `<table><thead><tr><th scope="col">${description}</th><th scope="col" class="period">${period}</th>`,
    ...numbers.map((name) => `<th scope="col" class="number">${name}</th>`),
    `</tr></thead><tbody>${rows.map(lineRow).join("\n")}</tbody></table>`,
  ].join("");
}

function lineRow({ description, note, period, quantity, unitAmount, amount }: InvoiceContent["rows"][number]): string {
  return [
    `<tr><td class="name">${escapeHtml(description)}${note ? `<div class="note">${note}</div>` : ""}</td>`,
    `<td class="period">${period}</td><td class="number">${quantity}</td>`,
    `<td class="number">${unitAmount}</td><td class="number">${amount}</td></tr>`,
  ].join("");
}

function sumsTable({ sums }: InvoiceContent): string {
  const rows = sums.map(
    ({ name, amount, isTotal }) =>
      `<tr${isTotal ? ' class="total"' : ""}><th scope="row">${escapeHtml(name)}</th><td class="number">${amount}</td></tr>`,
  );
  return `<table class="sums"><tbody>${rows.join("")}</tbody></table>`;
}
