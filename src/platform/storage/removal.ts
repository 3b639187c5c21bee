import { pause } from "../../lib/tasks/pause.ts";
import { ReferenceViolation } from "./errors.ts";
import { deleteSome } from "./query.ts";
import type { Storage, WriteTransaction } from "./storage.ts";
import type { TableName } from "./tables.ts";

interface RemovalOptions {
  /** The maximum number of rows in one transaction. */
  rows?: number;
  /** Ends the removal between two batches. The next run continues. */
  signal?: AbortSignal | undefined;
}

const maxRows = 1000;
/** 20 ms of CPU for keys. Smaller batches would not finish sooner on a busy machine, and each batch is a commit. */
const minRows = 200;
/**
 * On SQLite all other writes wait for a batch: 1,000 keys take 85 ms of CPU, and ten times as long on a busy machine.
 */
const pieceMilliseconds = 20;
const maxPauseMilliseconds = 1000;

/**
 * Removes old rows in batches, each in a transaction of its own, until a batch finds no more. On SQLite, where other
 * writes wait, the size of a batch follows from the duration of the previous one. After each batch it pauses for as
 * long as the batch took, so that writers have at least half of the time.
 */
export async function removeInPieces(
  storage: Storage,
  /** Removes at most the given number of rows. Returns how many it removed. */
  removePiece: (transaction: WriteTransaction, rows: number) => Promise<number>,
  { rows: max = maxRows, signal }: RemovalOptions = {},
): Promise<void> {
  const min = storage.engine === "sqlite" ? Math.min(minRows, max) : max;
  let rows = min;
  while (!signal?.aborted) {
    let removing = 0;
    const removed = await storage.write(async (transaction) => {
      const began = performance.now();
      const count = await removePiece(transaction, rows);
      removing = performance.now() - began;
      return count;
    });
    if (removed === 0) return;
    rows = nextRows(rows, removing, min, max);
    await pause(Math.min(removing, maxPauseMilliseconds));
  }
}

/** Removes the rows of a table that meet a condition, which may end with an order. `key` is that of `deleteSome`. */
export function removeRows(
  storage: Storage,
  table: TableName,
  condition: string,
  values: readonly unknown[],
  { key, ...options }: RemovalOptions & { key?: string },
): Promise<void> {
  const remove = (transaction: WriteTransaction, rows: number) =>
    deleteSome(transaction, table, condition, values, rows, key);
  return removeInPieces(storage, remove, options);
}

/** At most twice the previous size: a batch may have been fast because it found little. */
function nextRows(rows: number, milliseconds: number, min: number, max: number): number {
  const fitting = Math.round(rows * Math.min(2, pieceMilliseconds / Math.max(milliseconds, 0.1)));
  return Math.min(max, Math.max(fitting, min));
}

interface Container {
  seq: number;
}

/** How deleted containers are removed with their contents. */
interface ContainerRemoval<Deleted extends Container> {
  /** The name of the lock that limits the removal to one node at a time. */
  lock: string;
  findDeleted(transaction: WriteTransaction): Promise<Deleted | undefined>;
  /** Removes at most the given number of rows. Returns how many it removed. */
  removeContents(transaction: WriteTransaction, deleted: Deleted, rows: number): Promise<number>;
  removeEmpty(transaction: WriteTransaction, seq: number): Promise<void>;
}

/** Removes deleted containers with their contents, in batches. A restart continues with the rest. */
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
    // A resource was being created when its container was deleted. The next run removes it.
    if (!(error instanceof ReferenceViolation)) throw error;
  });
}

/** Ends early, between two batches, if the signal is aborted. */
export type Removal = (signal: AbortSignal) => Promise<void>;

/** Runs removals one after the other. A failure does not prevent the next one. */
export function inOrder(removals: Removal[], failed: (error: unknown) => void): Removal {
  return async (signal) => {
    for (const removal of removals) await removal(signal).catch(failed);
  };
}
