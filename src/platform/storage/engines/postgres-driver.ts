import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Pool, PoolClient, QueryConfig } from "pg";
import { StorageUnavailable, translate } from "../errors.ts";

const rollbackMilliseconds = 2000;

/** PostgreSQL through a pool. Every failure, of a query or of getting a connection for it, is translated to our errors. */
export function pooledDialect(pool: Pool, transactionMilliseconds: number): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PooledDriver(pool, transactionMilliseconds),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/**
 * Kysely's own driver returns a connection to the pool whatever happened on it. One on which a statement timed out is still
 * in its transaction, which the next user of the connection would commit. So such a connection is closed.
 */
class PooledDriver implements Driver {
  constructor(
    private readonly pool: Pool,
    private readonly transactionMilliseconds: number,
  ) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PooledConnection> {
    try {
      return new PooledConnection(await this.pool.connect());
    } catch (error) {
      throw translate(error);
    }
  }

  async beginTransaction(connection: PooledConnection): Promise<void> {
    connection.deadline = performance.now() + this.transactionMilliseconds;
    await connection.executeQuery(CompiledQuery.raw("BEGIN"));
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    const command = await connection.run("COMMIT");
    // The work went on after a statement that failed: PostgreSQL then rolls back, and reports no error.
    if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements had failed.");
  }

  /** Never throws: the error that led here is the one to report. */
  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    // It does not respond, so ROLLBACK would take as long again. Closing it ends the transaction too.
    if (connection.isBroken) return;
    connection.deadline = performance.now() + rollbackMilliseconds;
    try {
      await connection.run("ROLLBACK");
    } catch {
      connection.isBroken = true;
    }
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.pool.end();
  }
}

class PooledConnection implements DatabaseConnection {
  /** When the transaction must have ended; without it, each statement has the timeout of the pool. */
  deadline: number | undefined;
  /** Its state is unknown: it must not be used again. */
  isBroken = false;

  constructor(private readonly client: PoolClient) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#query(sql, parameters);
    const isWrite = command === "INSERT" || command === "UPDATE" || command === "DELETE";
    return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  /** Returns the command that PostgreSQL confirms. */
  async run(sql: string): Promise<string> {
    return (await this.#query(sql, [])).command;
  }

  // biome-ignore lint/correctness/useYield: rows are read whole
  async *streamQuery(): AsyncIterableIterator<QueryResult<never>> {
    throw new Error("Rows are read whole.");
  }

  release(): void {
    this.client.release(this.isBroken);
  }

  async #query(text: string, parameters: readonly unknown[]) {
    const timeout = this.deadline && { query_timeout: Math.max(1, Math.ceil(this.deadline - performance.now())) };
    try {
      return await this.client.query({ text, values: [...parameters], ...timeout } as QueryConfig);
    } catch (error) {
      const translated = translate(error);
      if (translated instanceof StorageUnavailable) this.isBroken = true;
      throw translated;
    }
  }
}
