import { Problem } from "../../../core/problems/problem.ts";
import { Body } from "../../../platform/http1/message/body.ts";

const checkMilliseconds = 500;
const heartbeatMilliseconds = 15_000;

/** The maximum number of followers of this process, and of one account. */
const maxFollowers = 500;
const maxPerAccount = 100;

/** The maximum number of events that wait for a slow client. */
const maxWaiting = 1_000;

/** One event for a client. */
export interface FollowedEvent {
  /** The serialized event. */
  text: string;
  isFailure: boolean;
}

export interface OmittedCounts {
  successes: number;
  failures: number;
}

interface Following {
  accountSeq: number;
  /** Calls `receive` with new events, until the returned function is called. */
  listen(receive: (events: FollowedEvent[]) => void): Promise<() => void>;
  /** Returns the event that reports how many events a slow client has missed. */
  leftOut(counts: OmittedCounts): string;
  /** Checked before events are sent. Returns false once the token or the deployment was deleted, on any node. */
  mayRead(): Promise<boolean>;
}

/** Clients that receive new events as server-sent events. */
export class EventStreamClients {
  readonly #open = new Map<() => void, number>();

  /** Ends when the client disconnects or loses its permission. Throws if there are too many followers. */
  async follow(following: Following): Promise<Body> {
    const { accountSeq } = following;
    this.#requireFew(accountSeq);
    const stream = new EventStream(following, () => this.#open.delete(stop));
    const stop = () => stream.stop();
    this.#open.set(stop, accountSeq);
    try {
      await stream.start();
    } catch (error) {
      stop();
      throw error;
    }
    return stream.body;
  }

  #requireFew(accountSeq: number): void {
    let ofAccount = 0;
    for (const seq of this.#open.values()) if (seq === accountSeq) ofAccount += 1;
    if (ofAccount >= maxPerAccount || this.#open.size >= maxFollowers)
      throw new Problem("too_many_followers", { retryAfterSeconds: 30 });
  }

  /** A server that stops does not wait for its followers. */
  closeAll(): void {
    for (const stop of [...this.#open.keys()]) stop();
  }
}

class EventStream {
  readonly body: Body;
  #waiting: FollowedEvent[] = [];
  #leftOut: OmittedCounts = { successes: 0, failures: 0 };
  #isOpen = true;
  #isPaused = false;
  #isSending = false;
  #lastSent = performance.now();
  #timer: Timer | undefined;
  #unlisten: (() => void) | undefined;

  constructor(
    private readonly following: Following,
    private readonly stopped: () => void,
  ) {
    this.body = new Body(undefined, {
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        void this.#send();
      },
      cancel: () => this.stop(),
    });
  }

  async start(): Promise<void> {
    this.#push(": following\n\n");
    this.#unlisten = await this.following.listen((events) => {
      if (events.length === 0) return;
      for (const event of events) this.#add(event);
      void this.#send();
    });
    if (!this.#isOpen) this.#unlisten();
    else this.#timer = setInterval(() => void this.#send(), checkMilliseconds);
  }

  stop(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#unlisten?.();
    clearInterval(this.#timer);
    this.stopped();
    this.body.end();
  }

  #add(event: FollowedEvent): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push(event);
    else if (event.isFailure) this.#leftOut.failures += 1;
    else this.#leftOut.successes += 1;
  }

  async #send(): Promise<void> {
    if (this.#isSending || !this.#isOpen) return;
    this.#isSending = true;
    try {
      if (!(await this.following.mayRead())) this.stop();
      else if (!this.#isPaused) this.#sendWaiting();
    } catch {
      // Storage is unavailable: retried with the next event, or at the next check.
    }
    this.#isSending = false;
  }

  #sendWaiting(): void {
    if (!this.#isOpen) return;
    let text = this.#waiting.map((event) => event.text).join("");
    if (this.#leftOut.successes + this.#leftOut.failures > 0) text += this.following.leftOut(this.#leftOut);
    this.#waiting = [];
    this.#leftOut = { successes: 0, failures: 0 };
    if (text === "" && performance.now() - this.#lastSent > heartbeatMilliseconds) text = ": still here\n\n";
    if (text !== "") this.#push(text);
  }

  #push(text: string): void {
    this.body.push(Buffer.from(text));
    this.#lastSent = performance.now();
  }
}
