import type { Migration } from "./migrations/migration.ts";
import type { Reads, StorageObserver, WriteTransaction } from "./storage.ts";

/** The timeouts of PostgreSQL, in milliseconds, of a machine that is not overloaded. */
const timeouts = {
  /** Of a connection attempt, and of the wait for a free connection. */
  connection: 2000,
  /** Of the first connections: servers and PostgreSQL often start together, on a machine that is busy then. */
  start: 15_000,
  /** If a statement or a transaction takes longer, the server hangs or is unreachable, and the client gets a 503. */
  transaction: 13_000,
  /** PostgreSQL's own limit, which is shorter, so that it reports the error. */
  statement: 12_000,
  /**
   * After which PostgreSQL closes the connection of a transaction whose client is silent. Less than a statement waits for
   * its locks.
   */
  idleTransaction: 8_000,
  /** No attempt begins after this time, so that a write fails within 20 seconds including the last attempt. */
  retry: 2500,
  /** Of a lookup by index. If one takes longer, the server hangs, and cached values are used instead. */
  lookUp: 2000,
  /** Of a poll of the change feed. */
  poll: 1500,
  /** Until a notification arrives that a start sends to check the database. */
  notification: 5000,
};

export type PostgresTimeouts = Readonly<typeof timeouts>;

/** All of them are multiplied by the patience. */
export function postgresTimeouts(patience = 1): PostgresTimeouts {
  const entries = Object.entries(timeouts).map(([name, milliseconds]) => [name, milliseconds * patience]);
  return Object.fromEntries(entries) as PostgresTimeouts;
}

/** A host that vanishes sends no reset. The system waits for two hours by default. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export const applicationName = "tollgate";
/** The prefix of the application name of each node's listening connection, by which nodes are listed. */
export const nodeApplicationName = "tollgate node ";

export interface PostgresOptions {
  url: string;
  /**
   * The address of PostgreSQL itself, if `url` may lead to a pooler that shares connections between transactions. Then
   * only the feed and migrations, which use this address, rely on sessions.
   */
  feedUrl: string | undefined;
  /** One of them follows the changes of other nodes. */
  maxConnections: number;
  /** Multiplies all timeouts. The default is 1. */
  patience?: number | undefined;
  migrations: Migration[];
  /** How long cached values may be used while storage is unavailable. */
  staleSeconds: number;
  now(): number;
  /** Called with the time of the database, and how long it took to ask for it. */
  observeTime?: ((time: number, elapsedMilliseconds: number) => void) | undefined;
  observer: StorageObserver;
  /** The timeout of a whole transaction instead of that of all others. */
  transactionMilliseconds?: number | undefined;
  warn(message: string, error: unknown): void;
  /** Serves the start while PostgreSQL is unavailable. */
  copied?: CopiedStart | undefined;
}

/** A copy that is open, as a database in memory. */
export interface OpenCopy {
  /** When it was made. */
  readonly time: number;
  readonly reads: Reads;
  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result>;
}

export interface CopiedStart {
  /** Returns undefined if there is no copy that may be used. */
  open(): OpenCopy | undefined;
  /** Whether writes belong to the start. They are made in the copy, and get lost. */
  isStarting(): boolean;
  /** Repeats what the start would have done in the database. */
  available(): Promise<void>;
}
