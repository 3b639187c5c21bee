import { Database } from "bun:sqlite";
import { fileError } from "../../../lib/files/file-errors.ts";
import { enableIncrementalVacuum } from "../data-directory/incremental-vacuum.ts";
import { migrateSqlite } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";

interface MigrationOptions {
  migrations: Migration[];
  now(): number;
}

/** Opens the only connection that writes and one that reads, and runs the migrations. */
export function openMigrated(
  file: string,
  { migrations, now }: MigrationOptions,
): { writer: Database; reader: Database } {
  let writer: Database | undefined;
  try {
    writer = openDatabase(file);
    migrateSqlite(writer, migrations, now());
    return { writer, reader: openDatabase(file, { readonly: true }) };
  } catch (error) {
    writer?.close();
    throw fileError(
      file,
      error,
      "Restore a backup with `tollgate restore FILE`, or set TOLLGATE_DATA_DIR to another directory.",
    );
  }
}

/** Opens a connection that only reads. Another process owns the database. */
export function openReader(file: string): Database {
  return openDatabase(file, { readonly: true });
}

function openDatabase(file: string, options: { readonly?: boolean } = {}): Database {
  const database = options.readonly ? new Database(file, { readonly: true }) : new Database(file, { create: true });
  if (!options.readonly) {
    // Before anything is written.
    enableIncrementalVacuum(database);
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    // Pages that are written repeatedly reach the database file once per 32 MiB of journal, not once per 4.
    database.run("PRAGMA wal_autocheckpoint = 8000");
  }
  database.run("PRAGMA foreign_keys = ON");
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA cache_size = -16000");
  database.run("PRAGMA temp_store = MEMORY");
  return database;
}
