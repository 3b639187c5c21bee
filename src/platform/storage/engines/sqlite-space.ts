import { Database } from "bun:sqlite";
import { removeInPieces } from "../removal.ts";
import type { Reads, Storage } from "../storage.ts";

/** Pages released by one statement, which takes a millisecond or two. */
const pagesAtOnce = 100;

/** Free pages that stay in the file for the writes to come: 4 MiB, or a tenth of a larger database. */
const minFreePages = 1024;
const keptPart = 0.1;

/**
 * Returns free pages to the file system in pieces: SQLite keeps what was deleted for later writes, so that one flood of uploads
 * would occupy the disk for good. Each piece moves pages from the end of the file to free ones. A database that was created
 * without `auto_vacuum` stays as large as it is.
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

/** Without it the file would keep its size until enough is written for the next checkpoint. */
function checkpoint(file: string): void {
  // A connection of its own: that of the writer may be within a transaction.
  using database = new Database(file, { readwrite: true });
  database.run("PRAGMA wal_checkpoint(PASSIVE)");
}

async function numberOf(reads: Reads, pragma: "auto_vacuum" | "freelist_count" | "page_count"): Promise<number> {
  return Object.values((await reads.one<Record<string, number>>(`PRAGMA ${pragma}`, []))!)[0]!;
}
