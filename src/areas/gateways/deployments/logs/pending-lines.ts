import { newId } from "../../../../lib/ids.ts";
import type { LogEntry } from "./log-sink.ts";

type Kind = LogEntry["kind"];

interface Bound {
  /** The maximum number of lines between two flushes. */
  lines: number;
  bytesPerSecond: number;
}

const kibibyte = 1024;

/** The limits of one deployment on one node. Lines beyond them are dropped and counted. */
const bounds: Record<Kind, Bound> = {
  console: { lines: 500, bytesPerSecond: 64 * kibibyte },
  build: { lines: 500, bytesPerSecond: 64 * kibibyte },
};
const burstBytes = 512 * kibibyte;

/** The approximate size of the names of its fields, the request id, and the rest of its row. */
const lineOverhead = 200;

/** The number of flushes without a line after which every budget is full again. */
const idleFlushes = 40;

interface PendingLine {
  id: string;
  entry: LogEntry;
}

interface Share {
  budget: ByteBudget;
  lines: number;
  leftOut: number;
  leftOutBytes: number;
  /** The time of the newest dropped line. */
  leftOutTime: number;
}

/** The unwritten lines of one deployment. */
export class PendingLines {
  #lines: PendingLine[] = [];
  #flushesWithoutLines = 0;
  readonly #shares: Record<Kind, Share> = {
    console: newShare("console"),
    build: newShare("build"),
  };

  add(entry: LogEntry): void {
    const share = this.#shares[entry.kind];
    const bytes = sizeOf(entry);
    if (share.lines >= bounds[entry.kind].lines || !share.budget.take(bytes, entry.time)) {
      share.leftOut += 1;
      share.leftOutBytes += bytes;
      share.leftOutTime = entry.time;
      return;
    }
    share.lines += 1;
    this.#lines.push({ id: newId("log", entry.time), entry });
  }

  /** Returns the lines to write, with a line for each kind of which some were dropped. */
  take(): PendingLine[] {
    const lines = this.#lines;
    this.#lines = [];
    for (const kind of ["console", "build"] as const) {
      const share = this.#shares[kind];
      if (share.leftOut > 0) {
        const time = Math.max(share.leftOutTime, lines.at(-1)?.entry.time ?? 0);
        lines.push({ id: newId("log", time), entry: leftOutLine(kind, share, time) });
      }
      share.lines = 0;
      share.leftOut = 0;
      share.leftOutBytes = 0;
    }
    this.#flushesWithoutLines = lines.length > 0 ? 0 : this.#flushesWithoutLines + 1;
    return lines;
  }

  /** Whether it can be evicted without loss. */
  get isIdle(): boolean {
    return this.#flushesWithoutLines >= idleFlushes;
  }
}

function newShare(kind: Kind): Share {
  const budget = new ByteBudget(bounds[kind].bytesPerSecond, burstBytes);
  return { budget, lines: 0, leftOut: 0, leftOutBytes: 0, leftOutTime: 0 };
}

/** Returns the approximate size of the line in storage, without serializing it. */
function sizeOf({ message }: LogEntry): number {
  return lineOverhead + Buffer.byteLength(message);
}

function leftOutLine(kind: Kind, { leftOut, leftOutBytes }: Share, time: number): LogEntry {
  const max = bounds[kind].bytesPerSecond / kibibyte;
  const message =
    `${leftOut} lines (${Math.ceil(leftOutBytes / kibibyte)} KiB) were dropped: ` +
    `the ${kind} log accepts ${max} KiB a second.`;
  return { time, kind, level: "warn", message };
}

/** If the clock goes back by more than this, it was set back; less is only a line that arrives late. */
const lateMilliseconds = 60_000;

/** A token bucket: a number of bytes per second on average, and a burst after a pause. */
export class ByteBudget {
  #left: number;
  #at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly burstBytes: number,
  ) {
    this.#left = burstBytes;
  }

  /** Returns false if not enough is left; then nothing is taken. */
  take(bytes: number, now: number): boolean {
    const elapsed = now - this.#at;
    if (elapsed > 0) this.#left = Math.min(this.burstBytes, this.#left + (elapsed / 1000) * this.bytesPerSecond);
    if (elapsed > 0 || elapsed < -lateMilliseconds) this.#at = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
