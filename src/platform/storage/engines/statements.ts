import type { Statement } from "../storage.ts";

interface InsertStatement {
  /** The text for one row. */
  sql: string;
  columns: string[];
  /** The texts for several rows, by their number. */
  longer: Map<number, string>;
}

/** Returns the statement for a number of rows. It is created once. */
export function manyRows({ sql, columns, longer }: InsertStatement, rows: number): string {
  if (rows === 1) return sql;
  let text = longer.get(rows);
  if (text === undefined) {
    const values = `, (${columns.map(() => "?").join(", ")})`;
    text = sql + values.repeat(rows - 1);
    longer.set(rows, text);
  }
  return text;
}

/**
 * Texts of INSERT statements with `?` placeholders, one per table and set of columns, so that engines can cache the
 * prepared statement.
 */
export class InsertStatements {
  readonly #byTable = new Map<string, InsertStatement>();

  for(table: string, row: object): InsertStatement {
    const known = this.#byTable.get(table);
    // Rows of a table nearly always have the same columns, and comparing them is cheaper than joining their names.
    if (known && hasColumns(row, known.columns)) return known;
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(", ");
    const sql = `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
    const statement = { sql, columns, longer: new Map() };
    this.#byTable.set(table, statement);
    return statement;
  }
}

/** Undefined values are left out; nothing is executed if there is no other. */
export function updateStatement(table: string, seq: number, values: object): Statement | undefined {
  const changed = Object.entries(values).filter(([, value]) => value !== undefined);
  if (changed.length === 0) return undefined;
  const columns = changed.map(([column]) => `"${column}" = ?`).join(", ");
  return {
    sql: `UPDATE ${table} SET ${columns} WHERE seq = ?`,
    parameters: [...changed.map(([, value]) => value), seq],
  };
}

function hasColumns(row: object, columns: string[]): boolean {
  let index = 0;
  for (const name in row) if (name !== columns[index++]) return false;
  return index === columns.length;
}

/** Replaces each `?` by `$1`, `$2`, … in order. Our statements contain no other question mark. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}
