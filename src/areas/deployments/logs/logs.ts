import { type Repetition, repeat } from "../../../lib/tasks/repeat.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import { type LogBounds, logBounds, removeExcessLines } from "./log-bounds.ts";
import type { DeploymentLogSink, LogEntry } from "./log-sink.ts";
import { insertLogLines, type LogRow, type LogSelection, newestLines, removeLinesBefore } from "./log-store.ts";
import { PendingLines } from "./pending-lines.ts";

export { lastLineSeq as lastLogSeq, newLinesAfter as logRowsAfter } from "./log-store.ts";
export type { LogRow, LogSelection };

/** A line as it was kept. Lines about requests come from the record of requests. */
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

/** For the row's other columns and its places in the indexes. */
const rowOverhead = 150;

/**
 * What code and builds log: kept in storage, so that every node shows the lines of all. Written behind in groups and bounded,
 * so that logging never holds up traffic; a hard kill loses the last quarter of a second of it.
 */
export class DeploymentLogs implements DeploymentLogSink {
  readonly #pending = new Map<number, PendingLines>();
  readonly #flushing: Repetition;

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

  /** While storage is away nothing piles up: what cannot be written is dropped. */
  async flush(): Promise<void> {
    const rows: ReturnType<typeof rowOf>[] = [];
    for (const [deploymentSeq, pending] of this.#pending) {
      for (const { id, entry } of pending.take()) rows.push(rowOf(deploymentSeq, id, entry));
      if (pending.isIdle) this.#pending.delete(deploymentSeq);
    }
    if (rows.length > 0) await this.storage.write((transaction) => insertLogLines(transaction, rows));
  }

  /** Removes what is older or more than is kept. */
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
