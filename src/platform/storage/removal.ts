import { pause } from "../../lib/pause.ts";
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

/** Ends early, between two pieces, where the signal is aborted. */
export type Removal = (signal: AbortSignal) => Promise<void>;

/** Runs removals one after the other; one that fails does not keep the next from its work. */
export function inOrder(removals: Removal[], failed: (error: unknown) => void): Removal {
  return async (signal) => {
    for (const removal of removals) await removal(signal).catch(failed);
  };
}
