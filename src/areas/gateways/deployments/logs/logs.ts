import { type Repetition, repeat } from "../../../../lib/tasks/repeat.ts";
import { NamedWrite } from "../../../../platform/storage/named-write.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { type LogBounds, logBounds, removeExcessLines } from "./log-bounds.ts";
import type { DeploymentLogSink, LogEntry } from "./log-sink.ts";
import { insertLogLines, type LogRow, type LogSelection, newestLines, removeLinesBefore } from "./log-store.ts";
import { PendingLines } from "./pending-lines.ts";

export { lastLineSeq as lastLogSeq, newLinesAfter as logRowsAfter } from "./log-store.ts";
export type { LogRow, LogSelection };

/** A stored line. Lines about requests come from the recorded requests. */
export interface LogLine extends Omit<LogEntry, "kind"> {
  id: string;
  kind: "access" | LogEntry["kind"];
  method?: string;
  path?: string;
  route?: string;
  status?: number;
  durationMs?: number;
  consumer?: string;
}

const flushSeconds = 0.25;
const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** The approximate size of the row's other columns and index entries. */
const rowOverhead = 150;

export const logWrite = new NamedWrite<ReturnType<typeof rowOf>[]>("logs", insertLogLines);

/**
 * Stores the log of code and builds, so that every node can return the lines of all nodes. Lines are written
 * asynchronously in batches and bounded, so that logging never blocks traffic. A hard kill loses the last quarter of a
 * second.
 */
export class DeploymentLogs implements DeploymentLogSink {
  readonly #pending = new Map<number, PendingLines>();
  readonly #flushing: Repetition;
  /** Settles when all writes that were begun have ended. */
  #written = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    failed: (error: unknown) => void,
    private readonly bounds: LogBounds = logBounds,
  ) {
    this.#flushing = repeat(flushSeconds, () => this.flush(), failed);
  }

  add(deploymentSeq: number, entry: LogEntry): void {
    let pending = this.#pending.get(deploymentSeq);
    if (!pending) {
      pending = new PendingLines();
      this.#pending.set(deploymentSeq, pending);
    }
    pending.add(entry);
  }

  /** Also waits for lines that the last flush is still writing. While storage is unavailable, lines that cannot be written are dropped. */
  async flush(): Promise<void> {
    const rows: ReturnType<typeof rowOf>[] = [];
    for (const [deploymentSeq, pending] of this.#pending) {
      for (const { id, entry } of pending.take()) rows.push(rowOf(deploymentSeq, id, entry));
      if (pending.isIdle) this.#pending.delete(deploymentSeq);
    }
    const earlier = this.#written;
    if (rows.length === 0) return earlier;
    const write = this.storage.write(logWrite.with(rows));
    this.#written = Promise.allSettled([earlier, write]).then(() => {});
    await write;
    await earlier;
  }

  /** Removes lines that are older than the retention or exceed the limit. */
  async trim(now: number, signal?: AbortSignal): Promise<void> {
    const before = now - keptMilliseconds;
    await removeInPieces(this.storage, (transaction, rows) => removeLinesBefore(transaction, before, rows), { signal });
    await removeExcessLines(this.storage, this.bounds, signal);
  }

  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.flush();
  }
}

function rowOf(deploymentSeq: number, id: string, { time, kind, ...rest }: LogEntry) {
  const entry = JSON.stringify(rest);
  return { id, deployment_seq: deploymentSeq, time, kind, entry, bytes: Buffer.byteLength(entry) + rowOverhead };
}

export async function readLog(reads: Reads, deploymentSeq: number, selection: LogSelection): Promise<LogLine[]> {
  return (await newestLines(reads, deploymentSeq, selection)).map(lineOf);
}

export function lineOf({ id, time, kind, entry }: LogRow): LogLine {
  return { id, time, kind: kind as LogLine["kind"], ...JSON.parse(entry) };
}
