import type { Insertable, Kysely } from "kysely";
import type { Change } from "./change.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { ListCounts } from "./list-counts.ts";
import type { TableName, Tables } from "./tables.ts";

/** Something that can be queried: the storage at large, or a transaction under way. */
export interface Reads {
  readonly query: Kysely<Tables>;
  /**
   * One row of a query with `?` for its parameters. Prepared once: compiling a Kysely query takes longer than
   * running most, so what every request queries is queried here.
   */
  one<Row>(sql: string, parameters: unknown[]): Promise<Row | undefined>;
  /** All rows of such a query. */
  all<Row>(sql: string, parameters: unknown[]): Promise<Row[]>;
}

/** How a transaction ended. It is unknown if COMMIT was sent and no response to it arrived. */
export type TransactionOutcome = "committed" | "rolledBack" | "unknown";

export type TransactionEndListener = (outcome: TransactionOutcome) => void;

export interface WriteTransaction extends Reads {
  /** Inserts one row and returns its `seq`. The statement is prepared once; Kysely would compile it each time. */
  insert<Table extends TableName>(table: Table, row: Insertable<Tables[Table]>): Promise<number>;
  /** Inserts rows of equal columns, all or none. */
  insertAll<Table extends TableName>(table: Table, rows: Insertable<Tables[Table]>[]): Promise<void>;
  /** Inserts the rows whose key is not there yet, and returns for each whether it went in. */
  insertNew<Table extends TableName>(
    table: Table,
    rows: Insertable<Tables[Table]>[],
    key: (keyof Insertable<Tables[Table]> & string)[],
  ): Promise<boolean[]>;
  /** Runs a statement with `?` for its parameters; prepared once, for what is written often. */
  run(sql: string, parameters: unknown[]): Promise<void>;
  /** Waits until no other transaction, on any node, holds the lock of that name; then held until this one ends. */
  lock(name: string): Promise<void>;
  /** False if another transaction, on any node, holds the lock of that name; else held until this one ends. */
  tryLock(name: string): Promise<boolean>;
  record(change: Change): void;
  /**
   * Calls the listener once the transaction has ended; after a commit, before its changes are published. For what is held in
   * memory for the transaction. The listener must not throw. Work that runs again has a new transaction.
   */
  onEnd(listener: TransactionEndListener): void;
  /** Whether rows read for changing must be locked; SQLite has one writer, so nothing can come between. */
  readonly locksRows: boolean;
  /** What the transaction counts, written just before it commits. */
  readonly counts: ListCounts;
  /** Over how many rows a counter is spread, so that transactions do not queue for one. */
  readonly counterShards: number;
}

export interface Storage {
  readonly engine: "sqlite" | "postgres";
  /** Whether other nodes may use the same database. */
  readonly isShared: boolean;
  readonly reads: Reads;
  readonly feed: ChangeFeed;
  /**
   * Runs the work in a transaction, all or nothing, and returns once it is durable. It may run more than
   * once and shares its transaction's time with others: it must await nothing but the transaction itself,
   * and where it is long the event loop's next turn.
   */
  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result>;
  /** Throws if storage does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What storage reports of its work, for metrics. */
export interface StorageObserver {
  operation(kind: "query" | "write" | "commit", seconds: number): void;
  group(size: number): void;
  revocationLag(seconds: number): void;
}
