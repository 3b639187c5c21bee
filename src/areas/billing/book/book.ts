import type { MemoryTransaction, Storage } from "../../../platform/storage/storage.ts";
import { tablesOfProviders } from "../payments/providers.ts";
import { type BookOwners, loadBook, namesOfTables } from "./book-store.ts";

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
  return storage.inMemory(namesOfTables(ofProviders), async (book) => {
    await storage.snapshot((reads) => loadBook(reads, book, owners, ofProviders));
    return work(book);
  });
}
