import type { Insertable, Kysely, Updateable } from "kysely";
import type { Change } from "./change.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { ListCounts } from "./list-counts.ts";
import type { CountsInMemory } from "./run-again.ts";
import type { TableName, Tables } from "./tables.ts";

/** An object that can be queried: the storage itself, or a transaction. */
export interface Reads {
  readonly query: Kysely<Tables>;
  /**
   * Returns one row of a query with `?` placeholders. The statement is prepared once. Compiling a Kysely query takes
   * longer than running most, so queries of the hot path use this method.
   */
  one<Row>(sql: string, parameters: unknown[]): Promise<Row | undefined>;
  /** Returns all rows of a query with `?` placeholders. */
  all<Row>(sql: string, parameters: unknown[]): Promise<Row[]>;
  /**
   * Returns rows as tables for statements, with the columns `column1`, `column2`, …: one table of any number of rows on
   * PostgreSQL, up to thousands, and several on SQLite, where a statement costs little.
   */
  tablesOf(types: readonly ColumnType[], rows: readonly unknown[][]): Iterable<Statement>;
}

/** The types of columns on PostgreSQL. */
export type ColumnType = "bigint" | "text" | "bytea";

/** How a transaction ended. The outcome is unknown if COMMIT was sent and no response arrived. */
export type TransactionOutcome = "committed" | "rolledBack" | "unknown";

export type TransactionEndListener = (outcome: TransactionOutcome) => void;

/** A statement with `?` placeholders. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

export interface WriteTransaction extends Reads {
  /** Inserts one row and returns its `seq`. The statement is prepared once; Kysely would compile it each time. */
  insert<Table extends TableName>(table: Table, row: Insertable<Tables[Table]>): Promise<number>;
  /** Inserts rows with the same columns, all or none. Returns the `seq` of each, if the table has one. */
  insertAll<Table extends TableName>(table: Table, rows: Insertable<Tables[Table]>[]): Promise<number[]>;
  /** Inserts the rows whose key does not exist yet, and returns for each row whether it was inserted. */
  insertNew<Table extends TableName>(
    table: Table,
    rows: Insertable<Tables[Table]>[],
    key: (keyof Insertable<Tables[Table]> & string)[],
  ): Promise<boolean[]>;
  /** Changes columns of the row with this `seq`. What is undefined stays as it is. */
  update<Table extends TableName>(table: Table, seq: number, values: Updateable<Tables[Table]>): Promise<void>;
  /** Deletes the row with this `seq`. */
  delete(table: TableName, seq: number): Promise<void>;
  /** Runs a statement with `?` placeholders. It is prepared once, for frequent writes. */
  run(sql: string, parameters: unknown[]): Promise<void>;
  /**
   * Runs statements that change different rows, in any order; on PostgreSQL as one statement, because each is a round
   * trip. Rows that other transactions may change in another order must be locked before.
   */
  runAll(statements: readonly Statement[]): Promise<void>;
  /**
   * Acquires the lock of that name, waiting for other transactions on any node. It is released when the transaction
   * ends. Returns false if the transaction has it already.
   */
  lock(name: string): Promise<boolean>;
  /**
   * Returns false if another transaction, on any node, holds the lock of that name. Otherwise acquires it until the
   * transaction ends.
   */
  tryLock(name: string): Promise<boolean>;
  /** The same for several names, in order. Returns for each whether it was acquired. */
  tryLockAll(names: string[]): Promise<boolean[]>;
  record(change: Change): void;
  /**
   * Calls the listener once the transaction has ended; after a commit, before its changes are published. Used for state
   * in memory that belongs to the transaction. The listener must not throw. A retry has a new transaction.
   */
  onEnd(listener: TransactionEndListener): void;
  /** Whether rows that are read to be changed must be locked. SQLite has a single writer and needs no locks. */
  readonly locksRows: boolean;
  /** The counts of the transaction, written just before it commits. */
  readonly counts: ListCounts;
  /** The number of rows over which a counter is spread, so that transactions do not queue for one row. */
  readonly counterShards: number;
  /** Counts that this process has not written yet. None if it counts nothing. */
  readonly countsInMemory: Set<CountsInMemory>;
}

/** The greatest `seq` of rows that are stored. */
export const maxSeq = 2 ** 52;

/** A transaction in memory. It counts nothing in memory unless the work adds to `countsInMemory`. */
export interface MemoryTransaction extends WriteTransaction {
  /** Runs work and takes back what it wrote. */
  undone<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a part of a work whose rows are saved by another transaction, which gets its changes, counts and listeners. If it
   * throws, what it wrote is taken back.
   */
  part<Result>(
    saving: Pick<WriteTransaction, "record" | "counts" | "onEnd">,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result>;
}

/** Runs a statement with `?` placeholders and returns its rows. */
export type RunStatement = <Row = unknown>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

export interface MaintenanceOptions {
  /** How long a statement waits for a lock. Others queue behind it. */
  lockMilliseconds: number;
  /** Ends the transaction without an effect. */
  signal?: AbortSignal | undefined;
}

export interface Storage {
  readonly engine: "sqlite" | "postgres";
  /** Whether other nodes may use the same database. */
  readonly isShared: boolean;
  readonly reads: Reads;
  readonly feed: ChangeFeed;
  /** See WriteTransaction. */
  readonly countsInMemory: Set<CountsInMemory>;
  /**
   * Runs the work in a transaction, all or nothing, and returns once it is durable. The work may run more than once,
   * and other work may share its transaction. It must await only the transaction itself and, if it takes long, the next
   * turn of the event loop.
   */
  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result>;
  /**
   * Runs reads that all see the database as it is at one time, without waiting for writes. To be kept short: it holds up
   * checkpoints of SQLite and vacuum of PostgreSQL.
   */
  snapshot<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result>;
  /**
   * Runs work in an empty database in memory, which has these tables and is discarded: it computes with copies of rows what
   * a transaction would do to them. The `seq` of a row that is created there is greater than `maxSeq`.
   */
  inMemory<Result>(
    tables: readonly TableName[],
    work: (transaction: MemoryTransaction) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs statements that change tables or take long, in one transaction on a connection of its own, without the time
   * limits of others. Returns undefined if a lock was not free in time. Only on PostgreSQL.
   */
  maintain?<Result>(
    work: (run: RunStatement) => Promise<Result>,
    options: MaintenanceOptions,
  ): Promise<Result | undefined>;
  /** Returns space that deleted rows occupied to the file system, as far as the engine does not do so by itself. */
  releaseSpace(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Storage of another process, which this process only reads. */
export interface ReadStorage extends Pick<Storage, "engine" | "isShared" | "reads"> {
  close(): Promise<void>;
}

/** What an operation belongs to, such as the trace of a request. Undefined for background work. */
export type OperationOwner = object | undefined;

/** Metrics and traces of storage operations. */
export interface StorageObserver {
  /** Without `owners`, the operation belongs to the owner of the work that runs. */
  operation(kind: "query" | "write" | "commit", seconds: number, owners?: readonly OperationOwner[]): void;
  group(size: number): void;
  revocationLag(seconds: number): void;
  /** Set if operations are traced: a transaction that several writes share runs the work of several owners. */
  readonly owners?: {
    current(): OperationOwner;
    run<Result>(owner: OperationOwner, work: () => Result): Result;
  };
}
