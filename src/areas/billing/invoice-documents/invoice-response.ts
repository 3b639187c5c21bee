import { preferredType } from "../../../lib/http/accept.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findInvoice, type Invoice } from "../invoices/invoices.ts";
import { presentInvoice } from "../invoices/present-invoice.ts";
import { invoiceColumns, invoiceRows } from "./invoice-csv.ts";
import { invoicePage, invoicePagePolicy } from "./invoice-page.ts";

const types = ["application/json", "text/html", "text/csv"] as const;

/** The invoice as a page or as CSV; undefined if the request prefers JSON. */
export async function asDocument(
  reads: Reads,
  bucket: MeteringBucket,
  invoice: Invoice,
  { headers }: HttpRequest,
  asCsv: (columns: typeof invoiceColumns, rows: ReturnType<typeof invoiceRows>) => Promise<HttpResponse>,
): Promise<HttpResponse | undefined> {
  const type = preferredType(headers.get("accept"), types);
  if (type === "application/json") return undefined;
  const shown = presentInvoice(invoice);
  if (type === "text/csv") return asCsv(invoiceColumns, invoiceRows(shown));
  const corrected = invoice.corrects_id === null ? undefined : await findInvoice(reads, bucket, invoice.corrects_id);
  const pageHeaders = new HttpHeaders({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": invoicePagePolicy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  return new HttpResponse(200, pageHeaders, invoicePage(shown, corrected && presentInvoice(corrected)));
}
