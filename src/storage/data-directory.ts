import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOwnerOnly } from "./file-modes.ts";

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
  const lockFile = join(path, "server.lock");
  makeOwnerOnly(lockFile);
  const lock = new Database(lockFile, { create: true });
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
  writeSecretFile(ownerFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

/** A file that only its owner may read, even if it was there before. */
export function writeSecretFile(path: string, content: string): void {
  makeOwnerOnly(path);
  writeFileSync(path, content);
}
