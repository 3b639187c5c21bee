import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { Pool, PoolClient, QueryConfig } from "pg";
import { type DatabaseHistory, pointOf } from "../database-history.ts";
import { StatementReplaced, StorageUnavailable, translate } from "../errors.ts";
import type { PostgresTimeouts } from "../postgres-options.ts";
import type { StatementNames } from "./statement-names.ts";

const rollbackMilliseconds = 2000;

/** The work of a snapshot is read only. */
const beginOf = ({ accessMode }: TransactionSettings) =>
  accessMode === "read only" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN";

function setLimits(command: "SET" | "SET LOCAL", { statement, idleTransaction }: PostgresTimeouts): string {
  const limits = { statement_timeout: statement, idle_in_transaction_session_timeout: idleTransaction };
  return Object.entries(limits)
    .map(([name, milliseconds]) => `${command} ${name} = ${milliseconds}`)
    .join("; ");
}

/**
 * Without these limits, PostgreSQL could keep the locks of a node that lost its connection for hours. They are
 * statements, because PgBouncer rejects them as parameters of the connection.
 */
export const sessionLimits = (timeouts: PostgresTimeouts) => setLimits("SET", timeouts);
/** For connections that a pooler shares between transactions: the limits of each transaction. One round trip. */
const beginWithLimits = (settings: TransactionSettings, timeouts: PostgresTimeouts) =>
  `${beginOf(settings)}; ${setLimits("SET LOCAL", timeouts)}`;

interface DialectOptions {
  timeouts: PostgresTimeouts;
  transactionMilliseconds: number;
  names: StatementNames;
  /** Whether a connection keeps its settings between transactions, and leads to one server. */
  hasSessions: boolean;
  /** Undefined for a replica. */
  history: DatabaseHistory | undefined;
}

/**
 * PostgreSQL through a connection pool. Every failure, of a query or of acquiring a connection, is translated to a
 * storage error.
 */
export function pooledDialect(pool: Pool, options: DialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PooledDriver(pool, options),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/**
 * Kysely's own driver always returns a connection to the pool. A connection on which a statement timed out is still in
 * its transaction, which the next user of the connection would commit. Such a connection is therefore closed.
 */
class PooledDriver implements Driver {
  constructor(
    private readonly pool: Pool,
    private readonly options: DialectOptions,
  ) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PooledConnection> {
    try {
      return new PooledConnection(await this.pool.connect(), this.options.names);
    } catch (error) {
      throw translate(error);
    }
  }

  async beginTransaction(connection: PooledConnection, settings: TransactionSettings): Promise<void> {
    connection.deadline = performance.now() + this.options.transactionMilliseconds;
    const { hasSessions, history, timeouts } = this.options;
    if (hasSessions) await connection.run(beginOf(settings));
    else {
      const begin = beginWithLimits(settings, timeouts);
      const results = await connection.query(history ? `${begin}; ${history.statement}` : begin, []);
      history?.check(pointOf(results));
    }
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    const command = await connection.run("COMMIT");
    // The work continued after a failed statement. PostgreSQL then executes COMMIT as ROLLBACK and reports no error.
    if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements had failed.");
  }

  /** Never throws, because the error that caused the rollback is the one to report. */
  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    // The connection does not respond, so ROLLBACK would time out too. Closing it also ends the transaction.
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
  /** The deadline of the transaction. Without it, each statement has the timeout of the pool. */
  deadline: number | undefined;
  /** The state of the connection is unknown, so it must not be used again. */
  isBroken = false;

  constructor(
    private readonly client: PoolClient,
    private readonly names: StatementNames,
  ) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Outside of a transaction, which is repeated, there is no second attempt.
    const name = this.deadline && parameters.length > 0 ? this.names.of(sql) : undefined;
    const { command, rowCount, rows } = await this.query(sql, parameters, name);
    const isWrite = command === "INSERT" || command === "UPDATE" || command === "DELETE";
    return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  /** Returns the command tag that PostgreSQL confirms. */
  async run(sql: string): Promise<string> {
    return (await this.query(sql, [])).command;
  }

  // biome-ignore lint/correctness/useYield: streaming is not supported
  async *streamQuery(): AsyncIterableIterator<QueryResult<never>> {
    throw new Error("Rows are read whole.");
  }

  release(): void {
    this.client.release(this.isBroken);
  }

  async query(text: string, parameters: readonly unknown[], name?: string) {
    const timeout = this.deadline && { query_timeout: Math.max(1, Math.ceil(this.deadline - performance.now())) };
    try {
      return await this.client.query({ name, text, values: parameters, ...timeout } as QueryConfig);
    } catch (error) {
      if (name !== undefined && this.names.failed(name, error))
        throw new StatementReplaced("statement", { cause: error });
      const translated = translate(error);
      if (translated instanceof StorageUnavailable) this.isBroken = true;
      throw translated;
    }
  }
}
