import { HttpHeaders } from "../platform/http1/headers.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import { HttpResponse } from "../platform/http1/http-response.ts";

type Cell = string | number | boolean | null | undefined;

/** Whether the Accept header asks for CSV at least as much as for JSON. */
export function prefersCsv({ headers }: HttpRequest): boolean {
  const accept = headers.get("accept");
  if (accept === null) return false;
  const qualities = new Map(accept.split(",").map(mediaRange));
  const csv = qualities.get("text/csv") ?? 0;
  return csv > 0 && csv >= (qualities.get("application/json") ?? 0);
}

function mediaRange(text: string): [type: string, quality: number] {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}

/** RFC 4180, with a line of column names. */
export function csvResponse(columns: readonly string[], rows: Iterable<Cell[]>): HttpResponse {
  let text = `${columns.join(",")}\r\n`;
  for (const row of rows) text += `${row.map(csvCell).join(",")}\r\n`;
  const headers = { "content-type": "text/csv; charset=utf-8; header=present", "cache-control": "no-store" };
  return new HttpResponse(200, new HttpHeaders(headers), text);
}

/** Spreadsheets run a text that begins with one of these signs as a formula, unless an apostrophe stands before it. */
const formulaSign = /^[=+\-@\t\r]/;

export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && formulaSign.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
