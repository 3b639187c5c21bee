import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "../storage.ts";

/**
 * The file beside the database that records the last backup, so that the server can report it. It is not part of a
 * backup.
 */
const file = "last-backup.json";

interface LastBackup {
  /** Milliseconds. */
  time: number;
  bytes: number;
}

export function recordBackup(directory: string, backup: LastBackup): void {
  writeFileSync(join(directory, file), `${JSON.stringify(backup)}\n`, { mode: 0o600 });
}

/**
 * Returns undefined if there is no backup yet, if the file cannot be read, and for a database that is backed up by
 * other means.
 */
export function lastBackup({ engine }: Pick<Storage, "engine">, directory: string): LastBackup | undefined {
  if (engine !== "sqlite") return undefined;
  try {
    const { time, bytes } = JSON.parse(readFileSync(join(directory, file), "utf8")) as LastBackup;
    return Number.isFinite(time) && Number.isFinite(bytes) ? { time, bytes } : undefined;
  } catch {
    return undefined;
  }
}
