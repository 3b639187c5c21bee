import type { Migration } from "./migrations/migration.ts";
import type { StorageObserver } from "./storage.ts";

/** For a connection. */
export const connectionTimeoutMillis = 2000;
/** For the first ones: servers and their PostgreSQL often start together, on a machine that is then busy. */
export const startTimeoutMillis = 15_000;

/** What the one connection of each node that listens begins its name with: by it nodes are listed. */
export const nodeApplicationName = "tollgate node ";

export interface PostgresOptions {
  url: string;
  migrations: Migration[];
  /** How long what is known may be used while storage is away. */
  staleSeconds: number;
  now(): number;
  observer: StorageObserver;
  /** How long a transaction may take as a whole: so long does a client wait for its 503. 15 s if left out. */
  transactionMilliseconds?: number | undefined;
  warn(message: string, error: unknown): void;
}
