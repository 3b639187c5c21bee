import type { Database, Statement } from "bun:sqlite";

/** Caches prepared statements by their text. Queries with lists have many texts, so the oldest are evicted. */
export class PreparedStatements {
  readonly #statements = new Map<string, Statement>();

  constructor(private readonly database: Database) {}

  get(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      if (this.#statements.size >= 500) {
        const [oldest, unused] = this.#statements.entries().next().value!;
        unused.finalize();
        this.#statements.delete(oldest);
      }
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }
}
