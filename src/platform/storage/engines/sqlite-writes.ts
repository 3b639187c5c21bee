import type { SQLQueryBindings } from "bun:sqlite";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { Change } from "../change.ts";
import type { ListCounts } from "../list-counts.ts";
import { runsOf } from "../runs.ts";
import type { Reads, StorageObserver, TransactionEndListener, WriteTransaction } from "../storage.ts";
import type { PreparedStatements } from "./prepared-statements.ts";
import { readsOver, translating } from "./sqlite-reads.ts";
import { InsertStatements, manyRows, updateStatement } from "./statements.ts";

interface SqliteWriteOptions extends Pick<WriteTransaction, "countsInMemory"> {
  observer: StorageObserver;
}

/** Writes on the connection that alone may write to its database. */
export class SqliteWrites {
  readonly #inserts = new InsertStatements();
  readonly reads: Reads;

  constructor(
    private readonly statements: PreparedStatements,
    private readonly options: SqliteWriteOptions,
  ) {
    this.reads = readsOver(statements, options.observer);
  }

  readonly run = async (sql: string, parameters: unknown[]): Promise<void> => {
    translating(() => this.statements.get(sql).run(...(parameters as SQLQueryBindings[])));
  };

  /** Many rows per statement: executing the statement takes half of the time of a short row. */
  insertAll(table: string, rows: object[]): number[] {
    if (rows.length === 0) return [];
    const insert = this.#inserts.for(table, rows[0]!);
    return translating(() =>
      Array.from(runsOf(rows)).flatMap((run) => {
        const { lastInsertRowid } = this.statements.get(manyRows(insert, run.length)).run(...run.flatMap(bindings));
        return run.map((_, index) => Number(lastInsertRowid) - run.length + 1 + index);
      }),
    );
  }

  transaction(changes: Change[], counts: ListCounts, endListeners: TransactionEndListener[]): WriteTransaction {
    const { statements, run } = this;
    const inserts = this.#inserts;
    const { countsInMemory } = this.options;
    const locks = new Set<string>();
    const own: WriteTransaction = {
      counts,
      ...this.reads,
      locksRows: false,
      counterShards: 1,
      countsInMemory,
      async insert(table, row) {
        const { sql } = inserts.for(table, row);
        return translating(() => Number(statements.get(sql).run(...bindings(row)).lastInsertRowid));
      },
      insertAll: async (table, rows) => this.insertAll(table, rows),
      async insertNew(table, rows) {
        if (rows.length === 0) return [];
        const statement = statements.get(`${inserts.for(table, rows[0]!).sql} ON CONFLICT DO NOTHING`);
        return translating(() => rows.map((row) => statement.run(...bindings(row)).changes > 0));
      },
      async update(table, seq, values) {
        const statement = updateStatement(table, seq, values);
        if (statement) await own.run(statement.sql, statement.parameters);
      },
      delete: (table, seq) => own.run(`DELETE FROM ${table} WHERE seq = ?`, [seq]),
      run,
      async runAll(all) {
        const slice = new Slice();
        for (const { sql, parameters } of all) {
          if (slice.isOver) await slice.next();
          await run(sql, parameters);
        }
      },
      // There is one writer at a time, so the running transaction holds every lock.
      async lock(name) {
        const isNew = !locks.has(name);
        locks.add(name);
        return isNew;
      },
      async tryLock(name) {
        locks.add(name);
        return true;
      },
      tryLockAll: (names) => Promise.all(names.map((name) => own.tryLock(name))),
      record: (change) => changes.push(change),
      onEnd: (listener) => endListeners.push(listener),
    };
    return own;
  }
}

function bindings(row: object): SQLQueryBindings[] {
  return Object.values(row);
}
