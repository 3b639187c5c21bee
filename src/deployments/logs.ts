import { newId } from "../lib/ids.ts";
import { type Repetition, repeat } from "../lib/repeat.ts";
import type { Reads, Storage } from "../storage/storage.ts";
import type { DeploymentLogSink, LogEntry } from "./live.ts";
import { insertLogLines, type LogRow, type LogSelection, newestLines, removeLinesBefore } from "./log-store.ts";

/** A line as it was kept. */
export interface LogLine extends LogEntry {
  id: string;
}

const flushSeconds = 0.25;
/** Of one deployment between two flushes. Under more traffic than that, lines are left out and counted. */
const mostAccessLines = 100;
const mostOtherLines = 500;
const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

interface Waiting {
  lines: { id: string; entry: LogEntry }[];
  access: number;
  leftOut: number;
}

/**
 * What deployments log: kept in storage, so that every node shows the lines of all. Written behind in groups and bounded, so
 * that logging never holds up traffic; a hard kill loses the last quarter of a second of it.
 */
export class DeploymentLogs implements DeploymentLogSink {
  #waiting = new Map<number, Waiting>();
  readonly #flushing: Repetition;

  constructor(
    private readonly storage: Storage,
    failed: (error: unknown) => void,
  ) {
    this.#flushing = repeat(flushSeconds, () => this.flush(), failed);
  }

  takesAccess(deploymentSeq: number): boolean {
    const waiting = this.#waiting.get(deploymentSeq);
    if (!waiting || waiting.access < mostAccessLines) return true;
    waiting.leftOut += 1;
    return false;
  }

  add(deploymentSeq: number, entry: LogEntry): void {
    let waiting = this.#waiting.get(deploymentSeq);
    if (!waiting) {
      waiting = { lines: [], access: 0, leftOut: 0 };
      this.#waiting.set(deploymentSeq, waiting);
    }
    if (entry.kind === "access") waiting.access += 1;
    else if (waiting.lines.length - waiting.access >= mostOtherLines) {
      waiting.leftOut += 1;
      return;
    }
    waiting.lines.push({ id: newId("log", entry.time), entry });
  }

  /** While storage is away nothing piles up: what cannot be written is let go. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    const rows = [...waiting].flatMap(([deploymentSeq, { lines, leftOut }]) => {
      const last = lines.at(-1)!.entry;
      if (leftOut > 0) lines.push({ id: newId("log", last.time), entry: leftOutLine(leftOut, last.time) });
      return lines.map(({ id, entry: { time, kind, ...rest } }) => ({
        id,
        deployment_seq: deploymentSeq,
        time,
        kind,
        entry: JSON.stringify(rest),
      }));
    });
    await this.storage.write((transaction) => insertLogLines(transaction, rows));
  }

  async trim(now: number): Promise<void> {
    await this.storage.write((transaction) => removeLinesBefore(transaction, now - keptMilliseconds));
  }

  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.flush();
  }
}

function leftOutLine(count: number, time: number): LogEntry {
  return { time, kind: "access", level: "warn", message: `${count} lines were left out: there was too much traffic.` };
}

export async function readLog(reads: Reads, deploymentSeq: number, selection: LogSelection): Promise<LogLine[]> {
  return (await newestLines(reads, deploymentSeq, selection)).map(lineOf);
}

export function lineOf({ id, time, kind, entry }: LogRow): LogLine {
  return { id, time, kind: kind as LogEntry["kind"], ...JSON.parse(entry) };
}
