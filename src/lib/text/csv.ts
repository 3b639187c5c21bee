export type CsvCell = string | number | boolean | null | undefined;

/** Lines of RFC 4180, the names of the columns first; one at each step. */
export function* csvSteps(columns: readonly string[], rows: Iterable<CsvCell[]>): Generator<void, string> {
  let text = `${columns.join(",")}\r\n`;
  for (const row of rows) {
    text += `${row.map(csvCell).join(",")}\r\n`;
    yield;
  }
  return text;
}

/** A spreadsheet runs a cell that begins with a formula's sign, unless an apostrophe stands before it: names are chosen by strangers. */
function csvCell(value: CsvCell): string {
  const text = value === null || value === undefined ? "" : String(value);
  const isFormula = typeof value === "string" && /^\s*[=+\-@\t\r]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Text that is not CSV. The message names the line. */
export class CsvError extends Error {}

export interface CsvRow {
  /** Where the row begins, counted from 1. */
  line: number;
  cells: string[];
}

/** RFC 4180, with either line end: quotes hold commas, line ends and doubled quotes. Empty lines are left out. */
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
      // The line end follows.
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
