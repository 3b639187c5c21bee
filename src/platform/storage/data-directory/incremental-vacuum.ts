import type { Database } from "bun:sqlite";

/**
 * Lets a database return free pages to the file system. Takes effect for an empty database and for the target of
 * `VACUUM`.
 */
export function enableIncrementalVacuum(database: Database): void {
  const { auto_vacuum } = database.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get()!;
  // Not set again, because setting it writes to the file, which a read-only connection cannot.
  if (auto_vacuum === 0) database.run("PRAGMA auto_vacuum = INCREMENTAL");
}
