import type { History } from "../../../../platform/storage/history.ts";
import type { MemoryTransaction, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { tablesOfProviders } from "../payments/providers.ts";
import { type BookOwners, loadBook, loadBookToSave, tablesToDiscard, tablesToSave } from "./book-store.ts";
import { rowsOf, saveBook } from "./saving-store.ts";

/**
 * Runs work on the book of customers: a copy in memory of all that is billed to them, as it is at one time. What the work
 * writes there is discarded, so that it computes what a request or time would do without waiting for others, or delaying
 * them. It lacks the usage of at most the last flush interval.
 * @param history for what may be some seconds old, and not all of one time: a replica. The work may run twice
 */
export function onBook<Result>(
  storage: Storage,
  owners: BookOwners,
  work: (book: MemoryTransaction) => Promise<Result>,
  history?: History,
): Promise<Result> {
  const ofProviders = tablesOfProviders();
  const from = (load: (book: MemoryTransaction) => Promise<void>) =>
    storage.inMemory(tablesToDiscard(ofProviders), async (book) => {
      await load(book);
      return work(book);
    });
  if (history?.status()?.isUsed)
    return history.read((reads) => from((book) => loadBook(reads, book, owners, ofProviders)));
  return from((book) => storage.snapshot((reads) => loadBook(reads, book, owners, ofProviders)));
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
