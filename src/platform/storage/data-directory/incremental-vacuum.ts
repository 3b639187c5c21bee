import type { Database } from "bun:sqlite";

/** Lets a database return free pages to the file system. It takes effect for one that is empty, and for the target of `VACUUM`. */
export function enableIncrementalVacuum(database: Database): void {
  const { auto_vacuum } = database.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get()!;
  // Setting it again writes to the file, which a connection for reading cannot.
  if (auto_vacuum === 0) database.run("PRAGMA auto_vacuum = INCREMENTAL");
}
