/** An exact decimal, which is written as it is: a negative one is not a formula. */
interface CsvDecimal {
  decimal: string;
}

export type CsvCell = string | number | boolean | CsvDecimal | null | undefined;

/** The columns of a table, by their names. */
export type CsvColumns<Item> = Record<string, (item: Item) => CsvCell>;

type Members<Name extends string, Value> = Record<Name, (item: Partial<Record<Name, Value>>) => CsvCell>;

function members<Name extends string, Value>(names: Name[], cellOf: (value: Value | undefined) => CsvCell) {
  const all = names.map((name) => [name, (item: Partial<Record<Name, Value>>) => cellOf(item[name])]);
  return Object.fromEntries(all) as Members<Name, Value>;
}

/** Columns that are members of the item: texts, decimals as text, and numbers or decimals as text. */
export const texts = <Name extends string>(...names: Name[]) => members(names, (text: string | undefined) => text);
export const decimal = (amount: string | undefined): CsvCell => amount && { decimal: amount };
export const decimals = <Name extends string>(...names: Name[]) => members(names, decimal);
export const amounts = <Name extends string>(...names: Name[]) =>
  members(names, (amount: number | string | undefined) => (typeof amount === "string" ? decimal(amount) : amount));

/** Yields CSV lines (RFC 4180), one at each step, beginning with the column names. */
export function* csvSteps(columns: readonly string[], rows: Iterable<CsvCell[]>): Generator<void, string> {
  let text = `${columns.map(csvCell).join(",")}\r\n`;
  for (const row of rows) {
    text += `${row.map(csvCell).join(",")}\r\n`;
    yield;
  }
  return text;
}

/** The same text at once, for few rows. */
export function csvOf(columns: readonly string[], rows: Iterable<CsvCell[]>): string {
  const steps = csvSteps(columns, rows);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * A spreadsheet evaluates a cell that begins with a formula character unless an apostrophe precedes it. Users choose
 * names, so any text may begin with one.
 */
function csvCell(value: CsvCell): string {
  if (typeof value === "object" && value !== null) return value.decimal;
  const text = value === null || value === undefined ? "" : String(value);
  const isFormula = typeof value === "string" && /^\s*[=+\-@\t\r]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell without the apostrophe that precedes a formula character. */
export const plainCell = (cell: string): string => cell.replace(/^'(?=\s*[=+\-@\t\r])/, "");

/** The text is not valid CSV. The message contains the line number. */
export class CsvError extends Error {}

interface CsvRow {
  /** The line on which the row begins, counted from 1. */
  line: number;
  cells: string[];
}

/**
 * Parses RFC 4180 with LF or CRLF. Quoted values may contain commas, line breaks and doubled quotes. Empty lines are
 * skipped.
 */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let row: CsvRow = { line: 1, cells: [] };
  let cell = "";
  let line = 1;
  let quotedSince: number | undefined;
  let wasQuoted = false;

  const endCell = () => {
    row.cells.push(cell);
    cell = "";
    wasQuoted = false;
  };
  const endRow = () => {
    endCell();
    if (row.cells.length > 1 || row.cells[0] !== "") rows.push(row);
    row = { line: line + 1, cells: [] };
  };

  const source = text.replace(/^\ufeff/, "");
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at]!;
    if (quotedSince !== undefined) {
      if (character === "\n") line += 1;
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quotedSince = undefined;
    } else if (character === ",") endCell();
    else if (character === "\n" || (character === "\r" && source[at + 1] !== "\n")) {
      endRow();
      line += 1;
    } else if (character === "\r") {
      // The line break is handled next.
    } else if (character === '"' && cell === "" && !wasQuoted) {
      quotedSince = line;
      wasQuoted = true;
    } else if (character === '"' || wasQuoted) {
      throw new CsvError(
        `line ${line}: a quote stands in the middle of a value; put the value in quotes and double it.`,
      );
    } else cell += character;
  }
  if (quotedSince !== undefined) throw new CsvError(`line ${quotedSince}: a quote is opened and not closed.`);
  endRow();
  return rows;
}
