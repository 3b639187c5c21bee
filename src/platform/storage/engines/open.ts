import { join } from "node:path";
import { lockDirectory, makeDirectory } from "../data-directory/data-directory.ts";
import { isOpenToOthers, restrictToOwner } from "../data-directory/file-modes.ts";
import type { Migration } from "../migrations/migration.ts";
import type { Storage, StorageObserver } from "../storage.ts";
import { openSqlite } from "./sqlite.ts";

export interface StorageOptions {
  dataDirectory: string;
  /** The address of PostgreSQL. Without it, SQLite in the data directory is used. */
  databaseUrl: string | undefined;
  /** All migrations in order. The pending ones are applied. */
  migrations: Migration[];
  staleSeconds: number;
  now(): number;
  observer: StorageObserver;
  /** Options of PostgreSQL, see PostgresOptions. */
  transactionMilliseconds?: number;
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
    return openPostgres({ ...options, url: options.databaseUrl });
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
