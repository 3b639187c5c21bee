import type { Tollgate } from "../../../../client/index.ts";
import { CsvError } from "../../../../lib/text/csv.ts";
import { type CsvColumns, type CsvItem, readCsvItems } from "../../../../lib/text/csv-items.ts";
import type { CsvTable } from "./export-file.tsx";

/** What a file creates: a consumer or a key for each line. */
export interface FileKind<Made> {
  title: string;
  noun: string;
  columns: CsvColumns;
  /** The columns in words, with an example. */
  example: string;
  /** The fields of the request that is shown before a file is read. */
  sample: CsvItem["fields"];
  /** The text of a line in the preview. */
  describe: (item: CsvItem) => string;
  /** Returns the errors that the server would report, by line. */
  check: (items: CsvItem[]) => Promise<Map<number, string>>;
  create: (api: Tollgate, fields: CsvItem["fields"]) => Promise<Made>;
  /** The command that creates all items of a file. */
  command: (file: string) => string;
  /** The created key values, which are shown only once. Undefined if there are none. */
  valuesOf: (made: Made[]) => CsvTable | undefined;
}

export interface Line {
  line: number;
  /** Undefined if the line could not be read. */
  item?: CsvItem;
  error?: string;
}

export interface Preview {
  good: CsvItem[];
  wrong: Line[];
}

/** More lines are imported with the command line. */
const maxLines = 1000;

/** Reads and checks a file without creating anything. Throws if no line of it can be used. */
export async function previewOf<Made>(text: string, kind: FileKind<Made>): Promise<Preview> {
  const { items, errors } = read(text, kind.columns);
  if (items.length + errors.length === 0) throw new Error("The file has no lines below the column names.");
  if (items.length > maxLines)
    throw new Error(
      `The file has ${items.length} lines; at most ${maxLines} are created here. Use the command line for more.`,
    );
  const found = await kind.check(items);
  const wrong = [
    ...errors.map(({ line, message, hint }) => ({ line, error: hint ? `${message} ${hint}` : message })),
    ...items.flatMap((item) => {
      const error = found.get(item.line);
      return error === undefined ? [] : [{ line: item.line, item, error }];
    }),
  ].sort((one, other) => one.line - other.line);
  return { good: items.filter(({ line }) => !found.has(line)), wrong };
}

function read(text: string, columns: CsvColumns) {
  try {
    return readCsvItems(text, columns);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Error(`The file is not CSV: ${error.message}`);
  }
}

/** Runs work for each item, a few at a time. */
export async function forEachAtOnce<Item>(
  items: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

/** The values of a cell, separated by `;` or spaces, as in files of the command line. */
export const listOf = (cell: string): string[] => cell.split(/[;\s]+/).filter((entry) => entry !== "");

/** A column of an export that cannot be set. */
export const ignored = (): undefined => undefined;

/** The lines with an error, with the message. */
export const errorsBy = (items: CsvItem[], errorOf: (item: CsvItem) => string | undefined): [number, string][] =>
  items.flatMap((item) => {
    const error = errorOf(item);
    return error === undefined ? [] : [[item.line, error]];
  });

/** The lines whose value occurs on an earlier line, with the message. */
export function repeated(items: CsvItem[], name: string): Map<number, string> {
  const first = new Map<unknown, number>();
  const found = new Map<number, string>();
  for (const { line, fields } of items) {
    const value = fields[name];
    if (value === undefined) continue;
    const before = first.get(value);
    if (before === undefined) first.set(value, line);
    else found.set(line, `${name} is the same as on line ${before}`);
  }
  return found;
}
