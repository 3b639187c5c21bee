import { createHash } from "node:crypto";
import { escapeHtml } from "../../../../lib/text/html.ts";
import type { InvoiceContent } from "./invoice-content.ts";

/** Readable on a screen and complete on A4 or Letter paper. Nothing is loaded from elsewhere. */
const invoiceStyles = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #eef1f4; color: #17212b; font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 210mm; margin: 24px auto; padding: 18mm; background: #fff; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 16px; }
h1 { margin: 0; font-size: 26px; line-height: 1.2; }
h2 { margin: 0 0 4px; color: #52606d; font-size: 12px; font-weight: 600; }
p { margin: 0; }
main, td, th, dd { overflow-wrap: anywhere; }
.state { margin-top: 4px; font-weight: 600; }
.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; margin: 28px 0; }
.lines { white-space: pre-line; }
/* A name from right to left begins at the left edge too, as in the PDF. */
.lines, .name, dd { unicode-bidi: plaintext; }
.lines, .name { text-align: left; }
dl { display: grid; grid-template-columns: auto auto; gap: 0 16px; margin: 0; align-content: start; }
dt { color: #52606d; }
dd { margin: 0; text-align: right; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { padding: 6px 8px; border-bottom: 2px solid #17212b; font-size: 12px; text-align: left; }
td { padding: 8px; border-bottom: 1px solid #d5dbe1; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; overflow-wrap: normal; }
.note { color: #52606d; font-size: 12px; }
.sums { width: auto; min-width: 45%; margin: 16px 0 0 auto; break-inside: avoid; }
.sums th { padding: 4px 8px 4px 0; border: 0; font-size: 14px; font-weight: 400; }
.sums td { padding: 4px 0; border: 0; }
.sums .total th, .sums .total td { border-top: 2px solid #17212b; font-weight: 700; }
.links { margin: 0 0 8px; text-align: right; }
.links a { color: #0b5cad; }
.tax-note { margin-top: 12px; }
@media (max-width: 600px) {
  main { margin: 0; padding: 20px; }
  .parties { grid-template-columns: 1fr; }
  table { font-size: 12px; }
}
@media print {
  .links { display: none; }
  @page { margin: 18mm; }
  body { background: none; font-size: 10.5pt; }
  main { max-width: none; margin: 0; padding: 0; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
`;

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
