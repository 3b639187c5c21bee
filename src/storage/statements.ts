/** Text of an INSERT with `?` placeholders; one per table and set of columns, so engines can keep it prepared. */
export class InsertStatements {
  readonly #byShape = new Map<string, { sql: string; columns: string[] }>();

  for(table: string, row: object): { sql: string; columns: string[] } {
    const columns = Object.keys(row);
    const shape = `${table}:${columns.join()}`;
    let statement = this.#byShape.get(shape);
    if (!statement) {
      const names = columns.map((column) => `"${column}"`).join(", ");
      statement = { sql: `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => "?").join(", ")})`, columns };
      this.#byShape.set(shape, statement);
    }
    return statement;
  }
}

/** `?` in order becomes `$1`, `$2`, …; our statements hold no question mark elsewhere. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}
