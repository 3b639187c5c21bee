import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { type OwnerColumns, type ScanPosition, scanPosition, setScanPosition } from "./timed-event-store.ts";

/** A row with the time by which it is found; an index has both in this order. */
interface TimedRow extends ScanPosition, OwnerColumns {}

/** Events at a fixed offset from a stored and indexed time. */
export interface TimedScan<Row extends TimedRow> {
  /** Identifies the position and must never change. */
  name: string;
  /** How long before the stored time the event is due. */
  leadMilliseconds: number;
  /** Returns rows after a position whose time is at most `until`, in order. */
  page(reads: Reads, after: ScanPosition, until: number, limit: number): Promise<Row[]>;
  /** Returns the events of rows that are still to be sent. */
  events(reads: Reads, rows: Row[], now: number): Promise<WebhookEvent[]>;
}

const pageSize = 100;

/**
 * Emits the events that have become due since the last run, also during a downtime. The position moves in the
 * transaction that stores the messages, on one node at a time, so that each event is sent once.
 */
export async function runScan<Row extends TimedRow>(
  storage: Storage,
  scan: TimedScan<Row>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const until = now + scan.leadMilliseconds;
  while (!signal.aborted) {
    const reached = await scanPosition(storage.reads, scan.name);
    if (reached && (await scan.page(storage.reads, reached, until, 1)).length === 0) return;
    const found = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`webhooks ${scan.name}`))) return 0;
      const after = await scanPosition(transaction, scan.name);
      // Begins with events that become due after the first run.
      if (!after) {
        await setScanPosition(transaction, scan.name, { time: until, seq: Number.MAX_SAFE_INTEGER });
        return 0;
      }
      const rows = await scan.page(transaction, after, until, pageSize);
      const last = rows.at(-1);
      if (!last) return 0;
      const queue = await MessageQueue.open(
        transaction,
        rows.map(({ account_seq }) => account_seq),
        now,
      );
      await queue.add(await scan.events(transaction, rows, now));
      await setScanPosition(transaction, scan.name, last);
      return rows.length;
    });
    if (found < pageSize) return;
  }
}
