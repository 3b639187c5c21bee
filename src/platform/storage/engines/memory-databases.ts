import { Database } from "bun:sqlite";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { Change } from "../change.ts";
import { ListCounts } from "../list-counts.ts";
import { type Migration, sqliteSql } from "../migrations/migration.ts";
import type { CountsInMemory } from "../run-again.ts";
import { type MemoryTransaction, maxSeq, type StorageObserver, type TransactionEndListener } from "../storage.ts";
import type { TableName } from "../tables.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { SqliteWrites } from "./sqlite-writes.ts";

interface Memory {
  database: Database;
  statements: PreparedStatements;
  writes: SqliteWrites;
}

/** Their statements are prepared. Others are closed after their use. */
const maxIdle = 4;

/** What happens in memory is no operation of storage. */
const unobserved: StorageObserver = { operation: () => {}, group: () => {}, revocationLag: () => {} };

/** Empty databases in memory. Each is used by one work at a time, which is rolled back. */
export class MemoryDatabases {
  /** By their tables. */
  readonly #idle = new Map<string, Memory[]>();
  /** An empty database of each: copying it takes 0.2 ms, and creating it 50 to 100 ms. */
  readonly #empty = new Map<string, Promise<Uint8Array>>();

  constructor(private readonly migrations: Migration[]) {}

  async run<Result>(
    tables: readonly TableName[],
    work: (transaction: MemoryTransaction) => Promise<Result>,
  ): Promise<Result> {
    const key = tables.join();
    const idle = this.#idle.get(key) ?? [];
    this.#idle.set(key, idle);
    const memory = idle.pop() ?? (await this.#open(key, tables));
    const { database, writes } = memory;
    const endListeners: TransactionEndListener[] = [];
    const countsInMemory = new Set<CountsInMemory>();
    const savepoint = async <Result>(inner: () => Promise<Result>, isKept: boolean): Promise<Result> => {
      let isDone = false;
      database.run("SAVEPOINT part");
      try {
        const result = await inner();
        isDone = true;
        return result;
      } finally {
        if (!isDone || !isKept) database.run("ROLLBACK TO part");
        database.run("RELEASE part");
      }
    };
    database.run("BEGIN");
    try {
      return await work({
        ...writes.transaction([], new ListCounts(), endListeners),
        countsInMemory,
        undone: (inner) => savepoint(inner, false),
        async part(saving, inner) {
          const [changes, counts]: [Change[], ListCounts] = [[], new ListCounts()];
          const listeners: TransactionEndListener[] = [];
          const own = { ...writes.transaction(changes, counts, listeners), countsInMemory };
          const result = await savepoint(() => inner(own), true).catch((error) => {
            endListeners.push(...listeners);
            throw error;
          });
          for (const change of changes) saving.record(change);
          saving.counts.merge(counts);
          for (const listener of listeners) saving.onEnd(listener);
          return result;
        },
      });
    } finally {
      for (const listener of endListeners) listener("rolledBack");
      database.run("ROLLBACK");
      if (idle.length < maxIdle) idle.push(memory);
      else close(memory);
    }
  }

  close(): void {
    for (const memory of [...this.#idle.values()].flat()) close(memory);
    this.#idle.clear();
  }

  async #open(key: string, tables: readonly TableName[]): Promise<Memory> {
    const empty = this.#empty.get(key) ?? emptyDatabase(this.migrations, tables);
    this.#empty.set(key, empty);
    const database = Database.deserialize(await empty);
    // A part of the rows is copied, and those that they refer to may be missing.
    database.run("PRAGMA foreign_keys = OFF");
    const statements = new PreparedStatements(database);
    const writes = new SqliteWrites(statements, { observer: unobserved, countsInMemory: new Set() });
    return { database, statements, writes };
  }
}

/** A statement about another table fails there, instead of finding it empty. */
async function emptyDatabase(migrations: Migration[], tables: readonly TableName[]): Promise<Uint8Array> {
  const database = new Database(":memory:");
  const slice = new Slice();
  const run = async (statement: string) => {
    database.run(statement);
    if (slice.isOver) await slice.next();
  };
  const parts = migrations.flatMap((migration) => sqliteSql(migration).split("\n\n"));
  // Some parts are comments alone, which Bun rejects.
  for (const part of parts) if (/^\w/m.test(part)) await run(part);
  const all = database.query<{ name: TableName }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  for (const { name } of all.all()) if (!tables.includes(name)) await run(`DROP TABLE ${name}`);
  database.run(
    `INSERT INTO sqlite_sequence (name, seq) SELECT name, ${maxSeq} FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'`,
  );
  database.run("VACUUM");
  const bytes = database.serialize();
  database.close();
  return bytes;
}

function close({ database, statements }: Memory): void {
  statements.close();
  database.close();
}
