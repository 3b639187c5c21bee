export type CsvCell = string | number | boolean | null | undefined;

/** Lines of RFC 4180, the names of the columns first. */
export function csvText(columns: readonly string[], rows: Iterable<CsvCell[]>): string {
  let text = `${columns.join(",")}\r\n`;
  for (const row of rows) text += `${row.map(csvCell).join(",")}\r\n`;
  return text;
}

/** A spreadsheet runs a cell that begins with a formula's sign, unless an apostrophe stands before it: names are chosen by strangers. */
function csvCell(value: CsvCell): string {
  const text = value === null || value === undefined ? "" : String(value);
  const isFormula = typeof value === "string" && /^\s*[=+\-@\t\r]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
