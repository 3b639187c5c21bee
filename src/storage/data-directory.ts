import { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Holds the directory for as long as this process lives; the system lets go of it even after a crash. */
export interface DirectoryLock {
  release(): void;
}

export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`The data directory ${path} cannot be made: ${(error as Error).message}`);
  }
}

/** Two servers on one SQLite would each believe their own caches, so the second is refused. */
export function lockDirectory(path: string): DirectoryLock {
  const ownerFile = join(path, "server.pid");
  const lock = new Database(join(path, "server.lock"), { create: true });
  try {
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    const owner = existsSync(ownerFile) ? ` (process ${readFileSync(ownerFile, "utf8").trim()})` : "";
    throw new Error(
      `The data directory ${path} is in use by another Tollgate server${owner}. ` +
        "Stop that one, or set TOLLGATE_DATA_DIR to another directory; for several servers set DATABASE_URL.",
    );
  }
  writeFileSync(ownerFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

/**
 * Tells programs on this machine where the server listens, until it is removed. One on every interface is reached by
 * loopback. A convenience: a directory that cannot be written to stops no server on PostgreSQL.
 */
export function writeServerUrl(path: string, url: string): { remove(): void } {
  const file = join(path, "server.url");
  try {
    writeFileSync(file, `${url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, "http://127.0.0.1")}\n`);
  } catch {
    return { remove: () => {} };
  }
  return { remove: () => rmSync(file, { force: true }) };
}

/** A file that only its owner may read, even if it was there before. */
export function writeSecretFile(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 });
  chmodSync(path, 0o600);
}
