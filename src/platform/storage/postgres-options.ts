import type { Migration } from "./migrations/migration.ts";
import type { StorageObserver } from "./storage.ts";

/** The timeout of a connection attempt. */
export const connectionTimeoutMillis = 2000;
/**
 * The timeout of the first connections: servers and PostgreSQL often start together, on a machine that is busy then.
 */
export const startTimeoutMillis = 15_000;

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
  migrations: Migration[];
  /** How long cached values may be used while storage is unavailable. */
  staleSeconds: number;
  now(): number;
  observer: StorageObserver;
  /** The timeout of a whole transaction, after which the client gets a 503. The default is 15 s. */
  transactionMilliseconds?: number | undefined;
  warn(message: string, error: unknown): void;
}
