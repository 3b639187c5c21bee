import { createHash } from "node:crypto";
import { Problem } from "../../../../core/problems/problem.ts";
import { SecondChanceCache } from "../../../../lib/cache/second-chance-cache.ts";
import { preferredType } from "../../../../lib/http/accept.ts";
import { type CsvColumns, decimal, decimals, texts } from "../../../../lib/text/csv.ts";
import { HttpHeaders } from "../../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../../../platform/http1/message/target.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findInvoice, type Invoice } from "../invoices/invoices.ts";
import { presentInvoice } from "../invoices/present-invoice.ts";
import { contentOf, type InvoiceContent, refundedOf, type ShownInvoice } from "./invoice-content.ts";
import { invoicePage, invoicePagePolicy } from "./invoice-page.ts";
import type { invoicePdf } from "./invoice-pdf.ts";

type LineRow = Omit<ShownInvoice, "lines"> & ShownInvoice["lines"][number] & { invoiceId: string };

const columns: CsvColumns<LineRow> = {
  ...texts("invoiceId", "number", "type", "status", "customerKey", "finalizedOn", "dueOn", "currency"),
  ...texts("kind", "description", "planId", "meter"),
  quantity: ({ quantity }) => quantity,
  ...decimals("unitAmount", "amount"),
  ...texts("periodStart", "periodEnd"),
  // Of the whole invoice, the same in each row.
  refunded: (row) => decimal(refundedOf(row)),
  isIncluded: ({ isIncluded }) => isIncluded && String(isIncluded),
};

/** A row for each line and tax. The amounts add up to the total, without taxes that the other lines include. */
function rowsOf({ lines, ...invoice }: ShownInvoice): LineRow[] {
  return lines.map((line) => ({ ...invoice, ...line, invoiceId: invoice.id }));
}

const types = ["application/json", "text/html", "text/csv", "application/pdf"] as const;

interface DocumentOptions {
  asCsv(columns: CsvColumns<LineRow>, rows: LineRow[]): Promise<HttpResponse>;
  /** Takes precedence over the Accept header. */
  format?: "pdf" | undefined;
  pdfs: InvoicePdfs;
}

/** The invoice as a page, as a PDF or as CSV; undefined if the request prefers JSON. Throws 409 for the PDF of a draft. */
export async function asDocument(
  reads: Reads,
  bucket: MeteringBucket,
  invoice: Invoice,
  { headers, target }: Pick<HttpRequest, "headers" | "target">,
  { asCsv, format, pdfs }: DocumentOptions,
): Promise<HttpResponse | undefined> {
  const type = format === "pdf" ? "application/pdf" : preferredType(headers.get("accept"), types);
  if (type === "application/json") return undefined;
  const shown = presentInvoice(invoice);
  if (type === "text/csv") return asCsv(columns, rowsOf(shown));
  const isDraft = invoice.status === "draft";
  if (type === "application/pdf") {
    if (isDraft) throw new Problem("invoice_is_draft");
    return pdfResponse(await pdfOf(reads, bucket, invoice, pdfs));
  }
  const content = await invoiceContent(reads, bucket, invoice);
  const pageHeaders = new HttpHeaders({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": invoicePagePolicy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  return new HttpResponse(200, pageHeaders, invoicePage(content, isDraft ? undefined : pdfUrl(target)));
}

/** The same address with `format=pdf`. */
function pdfUrl(target: string): string {
  const query = new URLSearchParams(splitTarget(target).search);
  query.set("format", "pdf");
  return `?${query}`;
}

async function invoiceContent(reads: Reads, bucket: MeteringBucket, invoice: Invoice): Promise<InvoiceContent> {
  const corrected = invoice.corrects_id === null ? undefined : await findInvoice(reads, bucket, invoice.corrects_id);
  return contentOf(presentInvoice(invoice), corrected && presentInvoice(corrected));
}

interface Pdf {
  filename: string;
  content: Buffer;
}

/** The PDF of a finalized invoice. */
export async function pdfOf(reads: Reads, bucket: MeteringBucket, invoice: Invoice, pdfs: InvoicePdfs): Promise<Pdf> {
  const content = await invoiceContent(reads, bucket, invoice);
  const filename = `${content.title.replace(/[^A-Za-z0-9-]+/g, "-").toLowerCase()}.pdf`;
  return { filename, content: await pdfs.get(content, new Date(invoice.finalized_on ?? invoice.created_on)) };
}

function pdfResponse({ filename, content }: Pdf): HttpResponse {
  const headers = new HttpHeaders({
    "content-type": "application/pdf",
    "content-disposition": `inline; filename="${filename}"`,
    "cache-control": "no-store",
  });
  return new HttpResponse(200, headers, content);
}

/** Fonts and shaping are loaded with the first PDF. */
const build: typeof invoicePdf = async (content, createdOn) =>
  (await import("./invoice-pdf.ts")).invoicePdf(content, createdOn);

/** A few hundred documents. */
const maximumBytes = 8 * 1024 * 1024;

/**
 * Keeps documents for as long as there is room: each takes 30 to 110 ms to build. What a version of an invoice shows
 * identifies its document, so a changed invoice gets another one.
 */
export class InvoicePdfs {
  readonly #built = new SecondChanceCache<Buffer>(maximumBytes, ({ length }) => length);
  readonly #building = new Map<string, Promise<Buffer>>();

  constructor(private readonly create = build) {}

  async get(content: InvoiceContent, createdOn: Date): Promise<Buffer> {
    const key = createHash("sha256")
      .update(JSON.stringify([content, createdOn]))
      .digest("base64");
    const known = this.#built.get(key) ?? this.#building.get(key);
    if (known) return known;
    const building = this.create(content, createdOn);
    this.#building.set(key, building);
    try {
      const document = await building;
      this.#built.set(key, document);
      return document;
    } finally {
      this.#building.delete(key);
    }
  }
}
