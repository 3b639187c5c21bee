import { readFile } from "node:fs/promises";
import { CsvError, parseCsv } from "../../lib/text/csv.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import { UsageError } from "../process/usage-error.ts";

/** An item to create. */
export interface BulkItem {
  /** Its place in the file: "line 4", or "item 3" of JSON. */
  place: string;
  fields: Record<string, unknown>;
  /** The text as written: `30d` resolves to a different time each day. */
  source: unknown;
}

/** The field for a column of a CSV file; `tags.*` matches all columns with this prefix. */
export type Columns = Record<string, (text: string) => unknown>;

/** The items of a CSV or JSON file; `-` is standard input. JSON items are sent unchanged. */
export async function readBulkFile(path: string, columns: Columns): Promise<BulkItem[]> {
  const text = await contentOf(path);
  try {
    const items = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text, columns);
    if (items.length === 0) throw new UsageError("it is empty.");
    return items;
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, error.hint);
    if (error instanceof CsvError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

async function contentOf(path: string): Promise<string> {
  try {
    return path === "-" ? await Bun.stdin.text() : await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function fromJson(text: string): BulkItem[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`it is not JSON: ${(error as Error).message}`);
  }
  // The output of a list or create command is a valid input file.
  const data = isObject(content) && Array.isArray(content.data) ? content.data : content;
  return (Array.isArray(data) ? data : [data]).map((fields, index) => {
    if (!isObject(fields)) throw new UsageError(`item ${index + 1} is not an object.`);
    return { place: `item ${index + 1}`, fields, source: fields };
  });
}

export function fromCsv(text: string, columns: Columns): BulkItem[] {
  const [header, ...rows] = parseCsv(text);
  if (!header) return [];
  const names = header.cells.map((name) => name.trim());
  const unknown = names.find((name) => !columnFor(name, columns));
  if (unknown !== undefined)
    throw new UsageError(
      `the first line must have the column names, and there is no column "${unknown}"${didYouMean(unknown, Object.keys(columns)) || "."}`,
      `Columns: ${Object.keys(columns).join(", ")}`,
    );
  return rows.map(({ line, cells }) => {
    if (cells.length > names.length)
      throw new UsageError(`line ${line} has ${cells.length} values for ${names.length} columns.`);
    const fields: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "") put(fields, name, read(cell, name, line, columns));
    }
    return { place: `line ${line}`, fields, source: cells };
  });
}

function columnFor(name: string, columns: Columns): Columns[string] | undefined {
  if (Object.hasOwn(columns, name)) return columns[name];
  const [group, member] = name.split(/\.(.*)/s);
  return member ? columns[`${group}.*`] : undefined;
}

function read(cell: string, name: string, line: number, columns: Columns): unknown {
  try {
    return columnFor(name, columns)!(cell);
  } catch (error) {
    throw new UsageError(`line ${line}, ${name}: ${(error as Error).message}`);
  }
}

/** `tags.plan` is a member of `tags`. */
function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  const [group, member] = name.split(/\.(.*)/s);
  if (member === undefined) fields[name] = value;
  else fields[group!] = { ...(fields[group!] as object | undefined), [member]: value };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
