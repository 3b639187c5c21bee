import { parseCsv, plainCell } from "./csv.ts";
import { didYouMean } from "./suggestion.ts";

/** The parser of each column; `tags.*` matches all columns with this prefix. A parser throws if a value is invalid. */
export type CsvColumns = Record<string, (text: string) => unknown>;

/** A line of a file, as an object. */
export interface CsvItem {
  line: number;
  fields: Record<string, unknown>;
  /** The values as written. */
  cells: string[];
}

interface CsvItemError {
  line: number;
  message: string;
  hint?: string;
}

/**
 * Reads each line as an object with the columns of the first line; empty values are left out. Lines with errors are
 * returned as such. Throws a CsvError if the text is not CSV.
 */
export function readCsvItems(text: string, columns: CsvColumns): { items: CsvItem[]; errors: CsvItemError[] } {
  const [header, ...rows] = parseCsv(text);
  if (!header) return { items: [], errors: [] };
  const names = header.cells.map((name) => plainCell(name.trim()));
  const unknown = names.find((name) => !columnFor(name, columns));
  if (unknown !== undefined) return { items: [], errors: [unknownColumn(header.line, unknown, columns)] };
  const items: CsvItem[] = [];
  const errors: CsvItemError[] = [];
  for (const { line, cells } of rows) {
    if (cells.length > names.length) {
      errors.push({ line, message: `line ${line} has ${cells.length} values for ${names.length} columns.` });
      continue;
    }
    const fields: Record<string, unknown> = {};
    const wrong = names.flatMap((name, index) => {
      const cell = plainCell(cells[index] ?? "");
      if (cell === "") return [];
      try {
        put(fields, name, columnFor(name, columns)!(cell));
        return [];
      } catch (error) {
        return [{ line, message: `line ${line}, ${name}: ${(error as Error).message}` }];
      }
    });
    if (wrong.length > 0) errors.push(...wrong);
    else items.push({ line, fields, cells });
  }
  return { items, errors };
}

function unknownColumn(line: number, name: string, columns: CsvColumns): CsvItemError {
  const known = Object.keys(columns);
  return {
    line,
    message: `the first line must have the column names, and there is no column "${name}"${didYouMean(name, known) || "."}`,
    hint: `Columns: ${known.join(", ")}`,
  };
}

function columnFor(name: string, columns: CsvColumns): CsvColumns[string] | undefined {
  if (Object.hasOwn(columns, name)) return columns[name];
  const [group, member] = name.split(/\.(.*)/s);
  return member ? columns[`${group}.*`] : undefined;
}

/** `tags.plan` is a member of `tags`. */
function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  const [group, member] = name.split(/\.(.*)/s);
  if (member === undefined) fields[name] = value;
  else fields[group!] = { ...(fields[group!] as object | undefined), [member]: value };
}
