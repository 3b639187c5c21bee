import type { Storage } from "../storage/storage.ts";
import { lastLineSeq, linesAfter } from "./log-store.ts";
import { type LogLine, lineOf } from "./logs.ts";

const pollMilliseconds = 250;
const heartbeatMilliseconds = 15_000;
const mostLines = 1000;
/** Nodes write at the same time, and a line may come to light after one with a higher number: for so long it is waited for. */
const settleMilliseconds = 3_000;

/** Lines as they come, as server-sent events, to whoever keeps listening. */
export class LogFollowers {
  readonly #open = new Set<() => void>();

  constructor(private readonly storage: Storage) {}

  /** `kind` keeps lines of other kinds out. Whatever is written after this has answered is told. */
  async follow(deploymentSeq: number, kind: string | undefined, render: (line: LogLine) => string): Promise<Response> {
    const follower = new Follower(this.storage, deploymentSeq);
    await follower.begin();
    let stop = () => {};
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const encoder = new TextEncoder();
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        let timer: Timer | undefined;
        let lastSent = performance.now();
        let isOpen = true;
        stop = () => {
          if (!isOpen) return;
          isOpen = false;
          clearTimeout(timer);
          this.#open.delete(stop);
          try {
            controller.close();
          } catch {
            // The listener has gone already.
          }
        };
        this.#open.add(stop);
        const poll = async () => {
          try {
            for (const line of await follower.next()) {
              if (kind !== undefined && line.kind !== kind) continue;
              send(render(line));
              lastSent = performance.now();
            }
          } catch {
            // Storage is away: the next turn asks again.
          }
          if (!isOpen) return;
          if (performance.now() - lastSent > heartbeatMilliseconds) {
            send(": still here\n\n");
            lastSent = performance.now();
          }
          timer = setTimeout(poll, pollMilliseconds);
        };
        send(": following\n\n");
        void poll();
      },
      cancel: () => stop(),
    });
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    return new Response(stream, { headers });
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
