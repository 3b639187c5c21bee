import type { MemoryTransaction, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { tablesOfProviders } from "../payments/providers.ts";
import { type BookOwners, loadBook, loadBookToSave, tablesToDiscard, tablesToSave } from "./book-store.ts";
import { rowsOf, saveBook } from "./saving-store.ts";

/**
 * Runs work on the book of customers: a copy in memory of all that is billed to them, as it is at one time. What the work
 * writes there is discarded, so that it computes what a request or time would do without waiting for others, or delaying
 * them. It lacks the usage of at most the last flush interval.
 */
export function onBook<Result>(
  storage: Storage,
  owners: BookOwners,
  work: (book: MemoryTransaction) => Promise<Result>,
): Promise<Result> {
  const ofProviders = tablesOfProviders();
  return storage.inMemory(tablesToDiscard(ofProviders), async (book) => {
    await storage.snapshot((reads) => loadBook(reads, book, owners, ofProviders));
    return work(book);
  });
}

/**
 * Runs work on the book of customers whose locks the transaction holds, and saves what it wrote. The work must not need more:
 * usage of hours and events is missing, and nothing counts in memory, or stops counting.
 */
export function savingBook(
  storage: Storage,
  transaction: WriteTransaction,
  owners: BookOwners,
  work: (book: MemoryTransaction) => Promise<void>,
): Promise<void> {
  const ofProviders = tablesOfProviders();
  const tables = tablesToSave(ofProviders);
  return storage.inMemory(tables, async (book) => {
    await loadBookToSave(transaction, book, owners, ofProviders);
    // The comparison of usage with credits locks counters, which changes only their versions.
    const changing = tables.filter((table) => table !== "usage_counters");
    const loaded = await rowsOf(book, changing);
    await work(book);
    await saveBook(book, loaded, transaction);
  });
}
