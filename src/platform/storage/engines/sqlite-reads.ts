import type { SQLQueryBindings } from "bun:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { translate } from "../errors.ts";
import type { Reads, StorageObserver } from "../storage.ts";
import type { Tables } from "../tables.ts";
import type { PreparedStatements } from "./prepared-statements.ts";
import { valuesOf } from "./row-sets.ts";

/** Queries on one connection, with Kysely or by hand. */
export function readsOver(statements: PreparedStatements, observer: StorageObserver): Reads {
  return {
    query: kyselyOver(statements, observer),
    async one<Row>(sql: string, parameters: unknown[]) {
      const started = performance.now();
      const row = translating(() => statements.get(sql).get(...(parameters as SQLQueryBindings[])));
      observer.operation("query", (performance.now() - started) / 1000);
      return (row ?? undefined) as Row | undefined;
    },
    async all<Row>(sql: string, parameters: unknown[]) {
      const started = performance.now();
      const rows = translating(() => statements.get(sql).all(...(parameters as SQLQueryBindings[])));
      observer.operation("query", (performance.now() - started) / 1000);
      return rows as Row[];
    },
    tablesOf: valuesOf,
  };
}

function kyselyOver(statements: PreparedStatements, observer: StorageObserver): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const started = performance.now();
      const result = translating(() => {
        const statement = statements.get(query.sql);
        const parameters = query.parameters as SQLQueryBindings[];
        if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) as Row[] };
        const { changes, lastInsertRowid } = statement.run(...parameters);
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      });
      observer.operation("query", (performance.now() - started) / 1000);
      return result;
    },
    streamQuery(): AsyncIterableIterator<QueryResult<never>> {
      throw new Error("Rows are read whole.");
    },
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    // Transactions are begun and committed by runGroup only.
    beginTransaction: reject,
    commitTransaction: reject,
    rollbackTransaction: reject,
    destroy: async () => {},
  };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

async function reject(): Promise<never> {
  throw new Error("Write through storage.write.");
}

/** Runs the work and throws SQLite's errors as those of storage. */
export function translating<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}
