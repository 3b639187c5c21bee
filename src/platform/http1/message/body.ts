import { bufferPiece } from "../memory/buffer-memory.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The body is larger than `Body.limit`. */
export class BodyTooLarge extends ProtocolError {
  constructor() {
    super("the body is too large", 413);
  }
}

/** Controls the sender of a body. */
export interface Flow {
  pause(): void;
  resume(): void;
  /** Cancels the body: the rest is not needed. */
  cancel(): void;
}

/** Receives a body piece by piece. */
export interface BodyConsumer {
  /** Returns false to pause until `Body.resume` is called. The piece counts as consumed. */
  write(piece: Buffer): boolean;
  /** It also takes the pieces that arrive before the sender has paused. The end still waits for `Body.resume`. */
  takesAll?: boolean;
  end(): void;
  fail(error: Error): void;
}

/** Watches a body without consuming it. */
interface Observer {
  piece(bytes: Buffer): void;
  end(): void;
}

const highWaterMark = 64 * 1024;

const noFlow: Flow = { pause() {}, resume() {}, cancel() {} };

/** A streaming body: filled by a connection, consumed once, with backpressure. */
export class Body {
  #flow: Flow;
  #waiting: Buffer[] = [];
  /**
   * The complete body if it arrived with its head and is ASCII. Most such bodies are then parsed or forwarded as text.
   */
  #text: string | undefined;
  #waitingBytes = 0;
  #state: "open" | "ended" | "failed" | "cancelled" = "open";
  #error: Error | undefined;
  #consumer: BodyConsumer | undefined;
  #observers: Observer[] | undefined;
  /** Bytes buffered before the sender is paused. */
  #highWaterMark = highWaterMark;
  #isPaused = false;
  #isFull = false;
  #received = 0;
  #whenOver: (() => void) | undefined;
  /** Called once by `cancel`. If it returns true, the rest is read for the observers and discarded. */
  keepsReading: (() => boolean) | undefined;
  /** Somebody waits for the whole body: its sender must not be slow. */
  isBuffered = false;
  /** The body fails with `BodyTooLarge` if it exceeds this number of bytes. */
  limit = Number.POSITIVE_INFINITY;

  /** `length` is the declared length, if any. */
  constructor(
    readonly length: number | undefined,
    flow: Flow = noFlow,
  ) {
    this.#flow = flow;
  }

  static of(content: Buffer): Body {
    const body = new Body(content.length);
    if (content.length > 0) body.push(content);
    body.end();
    return body;
  }

  /** A complete body of ASCII characters. */
  static ofText(text: string): Body {
    const body = new Body(text.length);
    body.#text = text;
    body.#state = "ended";
    return body;
  }

  /** The body has a consumer, or had one that read it completely. */
  get isConsumed(): boolean {
    return this.#consumer !== undefined && this.#state !== "cancelled";
  }

  get failure(): Error | undefined {
    return this.#error;
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** The number of bytes received so far. */
  get received(): number {
    return this.#received;
  }

  /**
   * Calls the listener once, when the body has ended, failed or been cancelled; immediately if that has happened. There
   * may be several listeners.
   */
  set whenOver(listener: () => void) {
    const earlier = this.#whenOver;
    if (this.#state !== "open") listener();
    else if (!earlier) this.#whenOver = listener;
    else
      this.#whenOver = () => {
        earlier();
        listener();
      };
  }

  push(piece: Buffer): void {
    if (this.#state !== "open") return;
    this.#received += piece.length;
    if (this.#received > this.limit) {
      this.fail(new BodyTooLarge());
      this.#flow.cancel();
      return;
    }
    if (this.#observers) for (const observer of this.#observers) observer.piece(piece);
    if (this.#consumer && (!this.#isPaused || this.#consumer.takesAll)) {
      if (!this.#consumer.write(piece)) this.#pause();
      return;
    }
    bufferPiece(this.#waiting, piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes > this.#highWaterMark) this.#pauseFlow();
  }

  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    if (this.#observers) for (const observer of this.#observers) observer.end();
    this.#whenOver?.();
    if (!this.#isPaused) this.#consumer?.end();
  }

  fail(error: Error): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#error = error;
    this.#whenOver?.();
    this.#consumer?.fail(error);
  }

  /** Returns the complete body and consumes it. Returns undefined if it is incomplete or consumed. */
  whole(): Buffer | undefined {
    if (this.#state !== "ended" || this.#consumer) return undefined;
    this.#textToBytes();
    this.#consumer = noConsumer;
    const [first] = this.#waiting;
    const bytes = first === undefined ? empty : this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    return bytes;
  }

  /** Returns the complete body as text and consumes it. Returns undefined if the body is not stored as text. */
  wholeText(): string | undefined {
    const text = this.#text;
    if (text === undefined || this.#consumer || this.#state !== "ended") return undefined;
    this.#text = undefined;
    this.#consumer = noConsumer;
    return text;
  }

  /** Passes the body to the consumer. Throws if there already is one. */
  consume(consumer: BodyConsumer): void {
    if (this.#consumer) throw new Error("a body can be consumed only once");
    this.#textToBytes();
    this.#consumer = consumer;
    if (this.#state === "failed") consumer.fail(this.#error!);
    else this.#deliver();
  }

  /** Ends a consumer's pause. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#deliver();
  }

  observe(observer: Observer): void {
    this.#observers = [...(this.#observers ?? []), observer];
    this.#textToBytes();
    for (const piece of this.#waiting) observer.piece(piece);
    if (this.#state === "ended") observer.end();
  }

  /** Observes the body, and lets the sender send this number of bytes before they are consumed. */
  observeAhead(observer: Observer, bytes: number): void {
    this.observe(observer);
    if (this.#state !== "open" || this.#consumer || bytes <= this.#highWaterMark) return;
    this.#highWaterMark = bytes;
    if (this.#isFull) this.#resumeFlow();
  }

  /** Cancels the body: the rest is not needed. */
  cancel(): void {
    if (this.#state === "cancelled" || this.#state === "failed") return;
    if (this.#state === "open" && this.keepsReading?.()) {
      this.keepsReading = undefined;
      this.#consumer = noConsumer;
      this.#isPaused = false;
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#resumeFlow();
      return;
    }
    const wasOpen = this.#state === "open";
    this.#state = "cancelled";
    if (wasOpen) this.#whenOver?.();
    this.#waiting = [];
    if (wasOpen) this.#flow.cancel();
  }

  /** Reads the complete body. Returns undefined if it is larger than the limit, or if `reserve` rejects a piece's size. */
  bytes(limit: number, reserve: (bytes: number) => boolean = () => true): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      this.consume({
        write: (piece) => {
          size += piece.length;
          if (size <= limit && reserve(piece.length)) {
            bufferPiece(pieces, piece);
            return true;
          }
          this.cancel();
          resolve(undefined);
          return false;
        },
        end: () => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)),
        fail: reject,
      });
    });
  }

  /** Iterates over the pieces with backpressure. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const pieces: Buffer[] = [];
    let wake = () => {};
    let isOver = false;
    let error: Error | undefined;
    const over = (failure?: Error) => {
      isOver = true;
      error = failure;
      wake();
    };
    this.consume({
      write: (piece) => {
        pieces.push(piece);
        wake();
        return false;
      },
      end: over,
      fail: over,
    });
    try {
      while (true) {
        const piece = pieces.shift();
        if (piece) yield piece;
        else if (error) throw error;
        else if (isOver) return;
        else {
          const next = new Promise<void>((resolve) => {
            wake = resolve;
          });
          this.resume();
          if (pieces.length === 0 && !isOver) await next;
        }
      }
    } finally {
      if (!isOver) this.cancel();
    }
  }

  #textToBytes(): void {
    if (this.#text === undefined) return;
    const bytes = Buffer.from(this.#text, "latin1");
    this.#text = undefined;
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#waitingBytes = bytes.length;
  }

  #deliver(): void {
    const consumer = this.#consumer!;
    while (this.#waiting.length > 0) {
      const piece = this.#waiting.shift()!;
      this.#waitingBytes -= piece.length;
      if (consumer.write(piece)) continue;
      this.#pause();
      if (!consumer.takesAll) return;
    }
    if (this.#isPaused) return;
    if (this.#state === "ended") consumer.end();
    else if (this.#state === "open") this.#resumeFlow();
  }

  #pause(): void {
    this.#isPaused = true;
    if (this.#state === "open") this.#pauseFlow();
  }

  #pauseFlow(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#flow.pause();
  }

  #resumeFlow(): void {
    this.#isFull = false;
    this.#flow.resume();
  }
}

const empty = Buffer.alloc(0);

/** The consumer of a body that was read as a whole. */
const noConsumer: BodyConsumer = { write: () => true, end() {}, fail() {} };
