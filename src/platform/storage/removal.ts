import { pause } from "../../lib/pause.ts";
import { ReferenceViolation } from "./errors.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

export interface RemovalOptions {
  /** At most so many rows in one transaction: on SQLite every other write waits for it. */
  rows?: number;
  /** Ends the removal between two pieces; the next run goes on where it stopped. */
  signal?: AbortSignal | undefined;
}

const defaultRows = 1000;
const longestPauseMilliseconds = 1000;

/**
 * Removes what is old in pieces, each a transaction of its own, until a piece finds nothing more. After each it pauses for
 * as long as that piece took, so that writers have at least half of the time.
 */
export async function removeInPieces(
  storage: Storage,
  /** Removes at most so many rows, and returns how many it removed. */
  removePiece: (transaction: WriteTransaction, rows: number) => Promise<number>,
  { rows = defaultRows, signal }: RemovalOptions = {},
): Promise<void> {
  while (!signal?.aborted) {
    const started = performance.now();
    const removed = await storage.write((transaction) => removePiece(transaction, rows));
    if (removed === 0) return;
    await pause(Math.min(performance.now() - started, longestPauseMilliseconds));
  }
}

export interface Container {
  seq: number;
}

/** How containers that were deleted are removed with their contents. */
export interface ContainerRemoval<Deleted extends Container> {
  /** Of the lock that keeps it to one node at a time. */
  lock: string;
  findDeleted(transaction: WriteTransaction): Promise<Deleted | undefined>;
  /** Removes at most so many rows, and returns how many it removed. */
  removeContents(transaction: WriteTransaction, deleted: Deleted, rows: number): Promise<number>;
  removeEmpty(transaction: WriteTransaction, seq: number): Promise<void>;
}

/** Removes deleted containers with everything in them, in pieces; a restart goes on with what is left. */
export async function removeContainers<Deleted extends Container>(
  storage: Storage,
  { lock, findDeleted, removeContents, removeEmpty }: ContainerRemoval<Deleted>,
  signal?: AbortSignal,
): Promise<void> {
  await removeInPieces(
    storage,
    async (transaction, rows) => {
      if (!(await transaction.tryLock(lock))) return 0;
      const deleted = await findDeleted(transaction);
      if (!deleted) return 0;
      const removed = await removeContents(transaction, deleted, rows);
      if (removed > 0) return removed;
      await removeEmpty(transaction, deleted.seq);
      return 1;
    },
    { signal },
  ).catch((error) => {
    // Something that was being created when its container was deleted: the next run removes it.
    if (!(error instanceof ReferenceViolation)) throw error;
  });
}

/** Ends early, between two pieces, where the signal is aborted. */
export type Removal = (signal: AbortSignal) => Promise<void>;

/** Runs removals one after the other; one that fails does not keep the next from its work. */
export function inOrder(removals: Removal[], failed: (error: unknown) => void): Removal {
  return async (signal) => {
    for (const removal of removals) await removal(signal).catch(failed);
  };
}
