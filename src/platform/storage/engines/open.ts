import { join } from "node:path";
import { lockDirectory, makeDirectory } from "../data-directory/data-directory.ts";
import { isOpenToOthers, restrictToOwner } from "../data-directory/file-modes.ts";
import type { Migration } from "../migrations/migration.ts";
import type { Storage, StorageObserver } from "../storage.ts";
import { openSqlite } from "./sqlite.ts";

export interface StorageOptions {
  dataDirectory: string;
  /** PostgreSQL where given, else SQLite in the data directory. */
  databaseUrl: string | undefined;
  /** In order; the pending ones are applied. */
  migrations: Migration[];
  staleSeconds: number;
  now(): number;
  observer: StorageObserver;
  /** Of PostgreSQL, see PostgresOptions. */
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
    // Only here: its driver takes a tenth of the time that a start on SQLite takes.
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
