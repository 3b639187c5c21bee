import { Body } from "../../platform/http1/body.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { lastLineSeq, linesAfter } from "./log-store.ts";
import { type LogLine, lineOf } from "./logs.ts";

const pollMilliseconds = 250;
const heartbeatMilliseconds = 15_000;
const mostLines = 1000;
/** Nodes write at the same time, and a line may come to light after one with a higher number: for so long it is waited for. */
const settleMilliseconds = 3_000;

export interface Following {
  deploymentSeq: number;
  /** Keeps lines of other kinds out. */
  kind: string | undefined;
  render(line: LogLine): string;
  /** Asked before lines are sent: false once the token or the deployment is gone, on whichever node that happened. */
  mayRead(): Promise<boolean>;
}

/** Lines as they come, as server-sent events, to whoever keeps listening. */
export class LogFollowers {
  readonly #open = new Set<() => void>();

  constructor(private readonly storage: Storage) {}

  /** Whatever is written after this has answered is told, until the client leaves or may not read it any more. */
  async follow({ deploymentSeq, kind, render, mayRead }: Following): Promise<Body> {
    const follower = new Follower(this.storage, deploymentSeq);
    await follower.begin();
    let timer: Timer | undefined;
    let lastSent = performance.now();
    let isOpen = true;
    let isPaused = false;
    const stop = () => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      this.#open.delete(stop);
      body.end();
    };
    const body = new Body(undefined, {
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
      },
      cancel: stop,
    });
    const send = (text: string) => {
      body.push(Buffer.from(text));
      lastSent = performance.now();
    };
    const poll = async () => {
      try {
        if (!(await mayRead())) return stop();
        // Who reads too slowly is told the rest from storage, not from memory.
        const lines = isPaused ? [] : await follower.next();
        for (const line of lines) if (kind === undefined || line.kind === kind) send(render(line));
      } catch {
        // Storage is away: the next turn asks again.
      }
      if (!isOpen) return;
      if (!isPaused && performance.now() - lastSent > heartbeatMilliseconds) send(": still here\n\n");
      timer = setTimeout(poll, pollMilliseconds);
    };
    this.#open.add(stop);
    send(": following\n\n");
    void poll();
    return body;
  }

  /** A server that stops does not wait for people who watch. */
  closeAll(): void {
    for (const stop of [...this.#open]) stop();
  }
}

class Follower {
  /** Everything up to here has settled. */
  #floor = 0;
  readonly #seen = new Map<number, number>();

  constructor(
    private readonly storage: Storage,
    private readonly deploymentSeq: number,
  ) {}

  async begin(): Promise<void> {
    this.#floor = await lastLineSeq(this.storage.reads, this.deploymentSeq);
  }

  async next(): Promise<LogLine[]> {
    const now = performance.now();
    const rows = await linesAfter(this.storage.reads, this.deploymentSeq, this.#floor, mostLines);
    const fresh = rows.filter(({ seq }) => !this.#seen.has(seq));
    for (const { seq } of fresh) this.#seen.set(seq, now);
    for (const [seq, at] of this.#seen) {
      if (now - at < settleMilliseconds && rows.length < mostLines) break;
      this.#floor = Math.max(this.#floor, seq);
      this.#seen.delete(seq);
    }
    return fresh.map(lineOf);
  }
}
