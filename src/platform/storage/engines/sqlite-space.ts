import { Database } from "bun:sqlite";
import { removeInPieces } from "../removal.ts";
import type { Reads, Storage } from "../storage.ts";

/** The number of pages that one statement releases, which takes one or two milliseconds. */
const pagesAtOnce = 100;

/** Free pages that stay in the file for later writes: 4 MiB, or a tenth of a larger database. */
const minFreePages = 1024;
const keptPart = 0.1;

/**
 * Returns free pages to the file system in batches. Otherwise SQLite keeps the space of deleted rows for later writes,
 * and a burst of uploads would occupy the disk forever. Each batch moves pages from the end of the file to free ones. A
 * database that was created without `auto_vacuum` keeps its size.
 */
export async function releaseFreePages(storage: Storage, file: string, signal: AbortSignal): Promise<void> {
  if ((await numberOf(storage.reads, "auto_vacuum")) === 0) return;
  let isReleased = false;
  await removeInPieces(
    storage,
    async (transaction, pages) => {
      const before = await numberOf(transaction, "freelist_count");
      const kept = Math.max(minFreePages, keptPart * (await numberOf(transaction, "page_count")));
      const releasable = Math.min(pages, before - kept);
      for (let released = 0; released + pagesAtOnce <= releasable; released += pagesAtOnce)
        await transaction.all(`PRAGMA incremental_vacuum(${pagesAtOnce})`, []);
      const released = before - (await numberOf(transaction, "freelist_count"));
      isReleased ||= released > 0;
      return released;
    },
    { signal },
  );
  if (isReleased) checkpoint(file);
}

/** Truncates the database file. Without this, the file keeps its size until the next checkpoint. */
function checkpoint(file: string): void {
  // A separate connection, because the writer's may be in a transaction.
  using database = new Database(file, { readwrite: true });
  database.run("PRAGMA wal_checkpoint(PASSIVE)");
}

async function numberOf(reads: Reads, pragma: "auto_vacuum" | "freelist_count" | "page_count"): Promise<number> {
  return Object.values((await reads.one<Record<string, number>>(`PRAGMA ${pragma}`, []))!)[0]!;
}
