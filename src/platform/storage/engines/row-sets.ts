import { runsOf } from "../runs.ts";
import type { ColumnType, Statement } from "../storage.ts";

/** The maximum number of rows of a statement: its parameters are serialized at once. */
const maxRows = 5_000;

const tables = new Map<string, string>();

/** Rows as arrays, so that a statement has the same text for any number of them. */
export function* arraysOf(types: readonly ColumnType[], rows: readonly unknown[][]): Generator<Statement> {
  const key = types.join();
  const known = tables.get(key);
  const sql = known ?? tableOfArrays(types);
  if (!known) tables.set(key, sql);
  for (let first = 0; first < rows.length; first += maxRows) {
    const some = rows.length <= maxRows ? rows : rows.slice(first, first + maxRows);
    yield { sql, parameters: types.map((type, column) => arrayText(type, some, column)) };
  }
}

function tableOfArrays(types: readonly ColumnType[]): string {
  const arrays = types.map((type) => `CAST(? AS ${type}[])`).join(", ");
  return `(SELECT * FROM unnest(${arrays}) AS rows (${types.map((_, index) => `column${index + 1}`).join(", ")}))`;
}

/** Takes half of the time of the driver's own serialization of arrays. */
function arrayText(type: ColumnType, rows: readonly unknown[][], column: number): string {
  let text = "";
  for (const row of rows) {
    const value = row[column];
    const element = value === null ? "NULL" : elementText(type, value);
    text += text === "" ? element : `,${element}`;
  }
  return `{${text}}`;
}

function elementText(type: ColumnType, value: unknown): unknown {
  if (type === "text") return quoted(value as string);
  return type === "bytea" ? quoted(`\\x${(value as Buffer).toString("hex")}`) : value;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}

/** Rows as values of statements with few texts. */
export function* valuesOf(types: readonly ColumnType[], rows: readonly unknown[][]): Generator<Statement> {
  const row = `(${types.map(() => "?").join(", ")})`;
  for (const run of runsOf(rows))
    yield { sql: `(VALUES ${Array(run.length).fill(row).join(", ")})`, parameters: run.flat() };
}
