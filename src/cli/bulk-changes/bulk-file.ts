import { CsvError } from "../../lib/text/csv.ts";
import { type CsvColumns, readCsvItems } from "../../lib/text/csv-items.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import { parsedJson } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { textOf } from "../terminal/input-file.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** An item to create. */
export interface BulkItem {
  /** The item's place in the file: "line 4", or "item 3" of JSON. */
  place: string;
  fields: Record<string, unknown>;
  /** The text as written: `30d` resolves to a different time each day. */
  source: unknown;
}

/** The items of a CSV or JSON file; `-` is standard input. JSON items are sent unchanged. */
export async function readBulkFile(path: string, columns: CsvColumns, terminal: Terminal): Promise<BulkItem[]> {
  return readWith(path, terminal, (text) => {
    const items = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text, columns);
    if (items.length === 0) throw new UsageError("it is empty.");
    return items;
  });
}

/** Parses a file. Its errors get the path. */
export async function readWith<Content>(
  path: string,
  terminal: Terminal,
  parse: (text: string) => Content,
): Promise<Content> {
  const text = await textOf(path, terminal);
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, error.hint);
    if (error instanceof CsvError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

/** Entries of a cell, separated by `;` or spaces. A comma would need quotes. */
export function listCell(cell: string): string[] {
  return cell.split(/[;\s]+/).filter((entry) => entry !== "");
}

function fromJson(text: string): BulkItem[] {
  const content = parsedJson(text, "it");
  // The output of a list or create command is a valid input file.
  const data = isJsonObject(content) && Array.isArray(content.data) ? content.data : content;
  return (Array.isArray(data) ? data : [data]).map((fields, index) => {
    if (!isJsonObject(fields)) throw new UsageError(`item ${index + 1} is not an object.`);
    return { place: `item ${index + 1}`, fields, source: fields };
  });
}

export function fromCsv(text: string, columns: CsvColumns): BulkItem[] {
  const { items, errors } = readCsvItems(text, columns);
  const [first] = errors;
  if (first) throw new UsageError(first.message, first.hint);
  return items.map(({ line, fields, cells }) => ({ place: `line ${line}`, fields, source: cells }));
}
