import { Body } from "../../platform/http1/message/body.ts";

const pollMilliseconds = 250;
const heartbeatMilliseconds = 15_000;

export interface Following {
  /** What is new since the last call, each as the text of an event. */
  next(): Promise<string[]>;
  /** Checked before events are sent: false once the token or the deployment is gone, on whichever node that happened. */
  mayRead(): Promise<boolean>;
}

/** Sends what is new in storage as server-sent events, to every client that follows. */
export class Followers {
  readonly #open = new Set<() => void>();

  /** Ends when the client goes away or may not read any more. */
  follow({ next, mayRead }: Following): Body {
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
        // A slow client is served later from storage, not from memory.
        for (const event of isPaused ? [] : await next()) send(event);
      } catch {
        // Storage is unavailable: the next poll retries.
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

  /** A server that stops does not wait for its followers. */
  closeAll(): void {
    for (const stop of [...this.#open]) stop();
  }
}

/** Nodes write at the same time, and a row may become visible after one with a higher number: for so long it is awaited. */
const settleMilliseconds = 3_000;

export interface NumberedRow {
  seq: number;
}

/** Rows of a table as they become visible, each once. */
export class NewRows<Row extends NumberedRow> {
  /** Everything up to here has settled. */
  #floor = 0;
  readonly #seen = new Set<number>();
  /** The highest number at the time of earlier polls. */
  #marks: { at: number; seq: number }[] = [];

  private constructor(private readonly read: RowReader<Row>) {}

  static async from<Row extends NumberedRow>(read: RowReader<Row>): Promise<NewRows<Row>> {
    const rows = new NewRows(read);
    rows.#floor = await read.last();
    return rows;
  }

  async next(): Promise<Row[]> {
    const now = performance.now();
    const last = await this.read.last();
    const rows = await this.read.after(this.#floor);
    const fresh = rows.filter(({ seq }) => !this.#seen.has(seq));
    for (const { seq } of fresh) this.#seen.add(seq);
    const isFull = rows.length >= this.read.most;
    this.#marks.push({ at: now, seq: isFull ? rows.at(-1)!.seq : last });
    while (this.#marks.length > 0 && (isFull || now - this.#marks[0]!.at >= settleMilliseconds))
      this.#floor = Math.max(this.#floor, this.#marks.shift()!.seq);
    for (const seq of this.#seen) if (seq <= this.#floor) this.#seen.delete(seq);
    return fresh;
  }
}

export interface RowReader<Row> {
  /** The highest number of all rows. */
  last(): Promise<number>;
  after(seq: number): Promise<Row[]>;
  /** How many rows `after` returns at most. */
  most: number;
}
