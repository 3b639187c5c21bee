import { mediaRanges } from "../lib/http/accept.ts";
import { runInSlices } from "../lib/tasks/slices.ts";
import { type CsvCell, csvSteps } from "../lib/text/csv.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";

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
