/** What can be done about whoever sends a body. */
export interface Flow {
  pause(): void;
  resume(): void;
  /** Nobody wants the rest. */
  cancel(): void;
}

/** Who takes the bytes of a body as they come. */
export interface Taker {
  /** False: no more, please, until `resume` is called. This piece is taken all the same. */
  take(piece: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Sees a body pass by. */
export interface Observer {
  piece(bytes: Buffer): void;
  end(): void;
}

/** What waits for a taker before the sender is asked to pause. */
const mostWaiting = 64 * 1024;

/** Pieces below this are joined where they are kept. */
const smallPiece = 16 * 1024;

/**
 * Adds a piece to those that are kept. Each costs a hundred bytes beside its own, and holds on to all that was received
 * with it: a client that sends single bytes, each with a long line of its chunk, must not fill the memory with them.
 */
export function keepPiece(pieces: Buffer[], piece: Buffer): void {
  let kept = piece;
  // Only with what is no larger, so that no byte is copied more than a dozen times.
  while (kept.length < smallPiece && pieces.length > 0 && pieces.at(-1)!.length <= kept.length)
    kept = Buffer.concat([pieces.pop()!, kept]);
  pieces.push(kept);
}

const noFlow: Flow = { pause() {}, resume() {}, cancel() {} };

/** A body on its way: filled by whoever receives it, taken once by whoever wants it, and never faster than that. */
export class Body {
  #flow: Flow;
  #waiting: Buffer[] = [];
  /** All of it, where it came with its head and is ASCII: most are only looked at as text, or sent on. */
  #text: string | undefined;
  #waitingBytes = 0;
  #state: "open" | "ended" | "failed" | "cancelled" = "open";
  #error: Error | undefined;
  #taker: Taker | undefined;
  #observer: Observer | undefined;
  #isPaused = false;
  #isFull = false;

  /** `length` as it was declared, if it was. */
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

  /** A body that is there whole, of ASCII characters alone. */
  static ofText(text: string): Body {
    const body = new Body(text.length);
    body.#text = text;
    body.#state = "ended";
    return body;
  }

  /** Somebody takes it, or has taken all of it. */
  get isTaken(): boolean {
    return this.#taker !== undefined && this.#state !== "cancelled";
  }

  /** What went wrong with it, if something did. */
  get failure(): Error | undefined {
    return this.#error;
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  push(piece: Buffer): void {
    if (this.#state !== "open") return;
    this.#observer?.piece(piece);
    if (this.#taker && !this.#isPaused) {
      if (!this.#taker.take(piece)) this.#pause();
      return;
    }
    keepPiece(this.#waiting, piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes > mostWaiting) this.#pauseFlow();
  }

  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#observer?.end();
    if (!this.#isPaused) this.#taker?.end();
  }

  fail(error: Error): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#error = error;
    this.#taker?.fail(error);
  }

  /** All of it, if all of it is here and nobody has taken it. It counts as taken then. */
  whole(): Buffer | undefined {
    if (this.#state !== "ended" || this.#taker) return undefined;
    this.#becomeBytes();
    this.#taker = nobody;
    const [first] = this.#waiting;
    const bytes = first === undefined ? nothing : this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    return bytes;
  }

  /** The same as text, for those that are kept as text. */
  wholeText(): string | undefined {
    const text = this.#text;
    if (text === undefined || this.#taker || this.#state !== "ended") return undefined;
    this.#text = undefined;
    this.#taker = nobody;
    return text;
  }

  /** Hands over what is here and what comes. */
  takeBy(taker: Taker): void {
    if (this.#taker) throw new Error("a body can be taken only once");
    this.#becomeBytes();
    this.#taker = taker;
    if (this.#state === "failed") taker.fail(this.#error!);
    else this.#handOver();
  }

  /** The taker wants more. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#handOver();
  }

  observe(observer: Observer): void {
    this.#observer = observer;
    this.#becomeBytes();
    for (const piece of this.#waiting) observer.piece(piece);
    if (this.#state === "ended") observer.end();
  }

  /** Nobody wants what is left of it. */
  cancel(): void {
    if (this.#state === "cancelled" || this.#state === "failed") return;
    const wasOpen = this.#state === "open";
    this.#state = "cancelled";
    this.#waiting = [];
    if (wasOpen) this.#flow.cancel();
  }

  /** All of it once it is here, or undefined as soon as it proves larger than the limit. */
  bytes(limit: number): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      this.takeBy({
        take: (piece) => {
          size += piece.length;
          if (size <= limit) {
            keepPiece(pieces, piece);
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

  /** Piece by piece, as fast as they are asked for. */
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
    this.takeBy({
      take: (piece) => {
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

  #becomeBytes(): void {
    if (this.#text === undefined) return;
    const bytes = Buffer.from(this.#text, "latin1");
    this.#text = undefined;
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#waitingBytes = bytes.length;
  }

  #handOver(): void {
    const taker = this.#taker!;
    while (this.#waiting.length > 0) {
      const piece = this.#waiting.shift()!;
      this.#waitingBytes -= piece.length;
      if (!taker.take(piece)) {
        this.#pause();
        return;
      }
    }
    if (this.#state === "ended") taker.end();
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

const nothing = Buffer.alloc(0);

/** Takes the place of the taker where a body was taken whole. */
const nobody: Taker = { take: () => true, end() {}, fail() {} };
