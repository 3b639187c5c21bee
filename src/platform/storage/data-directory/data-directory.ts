import { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileError } from "../../../lib/files/file-errors.ts";
import { makeOwnerOnly } from "./file-modes.ts";

/** Locks the directory for the lifetime of this process. The system releases the lock even after a crash. */
interface DirectoryLock {
  release(): void;
}

export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`The data directory ${path} cannot be created: ${(error as Error).message}`);
  }
}

/** Two servers on one SQLite database would each have stale caches, so the second one is rejected. */
export function lockDirectory(path: string): DirectoryLock {
  const ownerFile = join(path, "server.pid");
  const lock = openLock(path, ownerFile);
  try {
    makeOwnerOnly(ownerFile);
    writeFileSync(ownerFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw fileError(ownerFile, error);
  }
  return { release: () => lock.close() };
}

function openLock(path: string, ownerFile: string): Database {
  const file = join(path, "server.lock");
  let lock: Database | undefined;
  try {
    makeOwnerOnly(file);
    lock = new Database(file, { create: true });
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    // Only this code means that another process holds the lock. A full disk fails here too.
    if (!/^SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: unknown }).code)))
      throw fileError(file, error, "It contains no data: delete it and start again.");
    const owner = existsSync(ownerFile) ? ` (process ${readFileSync(ownerFile, "utf8").trim()})` : "";
    throw new Error(
      `The data directory ${path} is in use by another Tollgate server${owner}. ` +
        "Stop that server, or set TOLLGATE_DATA_DIR to another directory; for several servers set DATABASE_URL.",
    );
  }
}

/**
 * Publishes the address of the server to programs on this machine, until it is removed. A server that listens on every
 * interface is reached by loopback. This is a convenience: a directory that is not writable does not prevent a start on
 * PostgreSQL.
 */
export function writeServerUrl(path: string, url: string): { remove(): void } {
  const file = join(path, "server.url");
  try {
    makeOwnerOnly(file);
    writeFileSync(file, `${url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, "http://127.0.0.1")}\n`);
  } catch {
    return { remove: () => {} };
  }
  return { remove: () => rmSync(file, { force: true }) };
}

/**
 * Writes a file that only its owner may read. It is replaced atomically: a full disk leaves the former file, not a
 * partial secret.
 */
export function writeSecretFile(path: string, content: string): void {
  const unfinished = `${path}.new`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600 });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true, recursive: true });
    throw fileError(path, error);
  }
}
