import { mediaRanges } from "../lib/http/accept.ts";
import { runInSlices } from "../lib/tasks/slices.ts";
import { type CsvCell, type CsvColumns, csvSteps } from "../lib/text/csv.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { splitTarget } from "../platform/http1/message/target.ts";
import { nextPageLink, type PageBody } from "./schemas.ts";

/** Whether the Accept header prefers CSV to JSON, or both equally. */
export function prefersCsv({ headers }: HttpRequest): boolean {
  const accept = headers.get("accept");
  if (accept === null) return false;
  const qualities = new Map(mediaRanges(accept));
  const csv = qualities.get("text/csv") ?? 0;
  return csv > 0 && csv >= (qualities.get("application/json") ?? 0);
}

/** Adds a link to the next page if the rows are one page and more follow. */
export async function csvResponse(
  columns: readonly string[],
  rows: Iterable<CsvCell[]>,
  nextPage?: string,
): Promise<HttpResponse> {
  const headers = new HttpHeaders({
    "content-type": "text/csv; charset=utf-8; header=present",
    "cache-control": "no-store",
  });
  if (nextPage !== undefined) headers.set("link", nextPage);
  return new HttpResponse(200, headers, await runInSlices(csvSteps(columns, rows)));
}

export type { CsvColumns };

/** A row for each item. */
export function csvTable<Item>(columns: CsvColumns<Item>, items: Iterable<Item>, nextPage?: string) {
  const cells = Object.values(columns);
  const rows = Iterator.from(items).map((item) => cells.map((cell) => cell(item)));
  return csvResponse(Object.keys(columns), rows, nextPage);
}

/** Returns a page of a list, as CSV if the request prefers it. */
export function csvPage<Item>(
  request: HttpRequest,
  columns: CsvColumns<Item>,
  page: PageBody & { data: Iterable<Item> },
): { body: PageBody } | Promise<HttpResponse> {
  if (!prefersCsv(request)) return { body: page };
  return csvTable(columns, page.data, nextPageLink(splitTarget(request.target), page));
}
