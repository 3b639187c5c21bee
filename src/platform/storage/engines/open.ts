import { join } from "node:path";
import { lockDirectory, makeDirectory } from "../data-directory/data-directory.ts";
import { isOpenToOthers, restrictToOwner } from "../data-directory/file-modes.ts";
import type { DatabaseHistory } from "../database-history.ts";
import type { Migration } from "../migrations/migration.ts";
import { PostgresHosts } from "../postgres-hosts.ts";
import { type CopiedStart, postgresTimeouts } from "../postgres-options.ts";
import type { ReadStorage, Reads, Storage, StorageObserver } from "../storage.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import type { Replica } from "./replica.ts";
import { openSqlite } from "./sqlite.ts";
import { openReader } from "./sqlite-connections.ts";
import { readsOver } from "./sqlite-reads.ts";

export interface StorageOptions {
  dataDirectory: string;
  /** The address of PostgreSQL. Without it, SQLite in the data directory is used. */
  databaseUrl: string | undefined;
  /** The address of PostgreSQL itself, if `databaseUrl` may lead to a pooler; see PostgresOptions. */
  databaseFeedUrl?: string | undefined;
  /** The maximum number of connections to PostgreSQL. */
  databaseConnections: number;
  /** Multiplies the timeouts of PostgreSQL. The default is 1. */
  databasePatience?: number | undefined;
  /** All migrations in order. The pending ones are applied. */
  migrations: Migration[];
  staleSeconds: number;
  now(): number;
  /** A PostgreSQL option, see PostgresOptions. */
  observeTime?: ((time: number, elapsedMilliseconds: number) => void) | undefined;
  observer: StorageObserver;
  /** A PostgreSQL option, see PostgresOptions. */
  transactionMilliseconds?: number;
  /** A PostgreSQL option, see PostgresOptions. */
  copied?: CopiedStart | undefined;
  warn(message: string, error: unknown): void;
}

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { dataDirectory, warn } = options;
  makeDirectory(dataDirectory);
  for (const name of ["admin-token", "encryption-key"]) restrictToOwner(join(dataDirectory, name));
  if (isOpenToOthers(dataDirectory))
    warn(`other users may enter the data directory; run: chmod 700 ${JSON.stringify(dataDirectory)}`, undefined);
  if (options.databaseUrl) {
    // Imported only here: loading the driver takes a tenth of the time of a start on SQLite.
    const { openPostgres } = await import("./postgres.ts");
    return openPostgres({
      ...options,
      url: options.databaseUrl,
      feedUrl: options.databaseFeedUrl,
      maxConnections: options.databaseConnections,
      patience: options.databasePatience,
    });
  }

  const lock = lockDirectory(options.dataDirectory);
  try {
    const storage = openSqlite({ ...options, directory: options.dataDirectory });
    return {
      ...storage,
      async close() {
        await storage.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens storage that another process of this machine has opened and migrated. */
export async function openReads({
  dataDirectory,
  databaseUrl,
  databaseFeedUrl,
  databasePatience,
  observer,
  warn,
  history,
  copy,
}: Pick<
  StorageOptions,
  "dataDirectory" | "databaseUrl" | "databaseFeedUrl" | "databasePatience" | "observer" | "warn"
> & { history: DatabaseHistory; copy(): Reads | undefined }): Promise<ReadStorage> {
  if (databaseUrl) {
    const { openPostgresReads } = await import("./postgres.ts");
    const { choosePrimary } = await import("./postgres-checks.ts");
    const hosts = new PostgresHosts(databaseUrl);
    if (!copy()) await choosePrimary(hosts, postgresTimeouts(databasePatience));
    const options = { feedUrl: databaseFeedUrl, patience: databasePatience, observer, warn };
    return openPostgresReads(hosts, options, history, copy);
  }
  const database = openReader(join(dataDirectory, "tollgate.db"));
  const statements = new PreparedStatements(database);
  return {
    engine: "sqlite",
    isShared: false,
    reads: readsOver(statements, observer),
    async close() {
      statements.close();
      database.close();
    },
  };
}

/** Opens the replica of a PostgreSQL database. Undefined if none is configured. */
export async function openReplica({
  databaseUrl,
  databaseReplicaUrl: url,
  ...options
}: Pick<StorageOptions, "databaseUrl" | "observer" | "warn"> & {
  databaseReplicaUrl: string | undefined;
  primary: Reads;
}): Promise<Replica | undefined> {
  if (!databaseUrl || !url) return undefined;
  const { Replica } = await import("./replica.ts");
  return new Replica({ url, ...options });
}
