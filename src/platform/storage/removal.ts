import { pause } from "../../lib/tasks/pause.ts";
import { ReferenceViolation } from "./errors.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

export interface RemovalOptions {
  /** At most so many rows in one transaction. */
  rows?: number;
  /** Ends the removal between two pieces; the next run goes on where it stopped. */
  signal?: AbortSignal | undefined;
}

const mostRows = 1000;
/** 20 ms of CPU for keys. Fewer would not be done sooner on a busy machine, and each piece is a commit. */
const fewestRows = 200;
/** On SQLite every other write waits for a piece: 1,000 keys take 85 ms of CPU, ten times as long on a busy machine. */
const pieceMilliseconds = 20;
const longestPauseMilliseconds = 1000;

/**
 * Removes what is old in pieces, each a transaction of its own, until a piece finds nothing more. On SQLite, where others wait for
 * it, a piece has as many rows as the one before suggests for its time. After each it pauses for as long as that piece took,
 * so that writers have at least half of the time.
 */
export async function removeInPieces(
  storage: Storage,
  /** Removes at most so many rows, and returns how many it removed. */
  removePiece: (transaction: WriteTransaction, rows: number) => Promise<number>,
  { rows: most = mostRows, signal }: RemovalOptions = {},
): Promise<void> {
  const fewest = storage.engine === "sqlite" ? Math.min(fewestRows, most) : most;
  let rows = fewest;
  while (!signal?.aborted) {
    let removing = 0;
    const removed = await storage.write(async (transaction) => {
      const began = performance.now();
      const count = await removePiece(transaction, rows);
      removing = performance.now() - began;
      return count;
    });
    if (removed === 0) return;
    rows = nextRows(rows, removing, fewest, most);
    await pause(Math.min(removing, longestPauseMilliseconds));
  }
}

/** At most twice as many as before: a piece may have been quick because it found little. */
function nextRows(rows: number, milliseconds: number, fewest: number, most: number): number {
  const fitting = Math.round(rows * Math.min(2, pieceMilliseconds / Math.max(milliseconds, 0.1)));
  return Math.min(most, Math.max(fitting, fewest));
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
