import { Body, type BodyConsumer } from "../../../platform/http1/message/body.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A larger event is forwarded before its end. */
const maxHeldBytes = 4 * 1024 * 1024;

/** Matches an error event: text of a model cannot, because its quotes are escaped. */
const isError = /"error"\s*:\s*["{[]|"type"\s*:\s*"error"/;

/**
 * Forwards a stream of events as it arrives. An incomplete event is held until its end, which no client could read
 * earlier, so that an error event can follow at any time, and an event can be left out.
 */
export class EventForwarder implements BodyConsumer {
  readonly body: Body;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isLineEmpty = true;
  #wasReturn = false;
  #isPaused = false;
  #isWaiting = false;
  #isOver = false;

  constructor(
    private readonly source: Body,
    private readonly options: {
      /** While this is a promise, pieces wait: their tokens are not held yet. */
      holding: () => Promise<void> | undefined;
      /** Leaves out the event with the usage of a chat completion, which the caller did not ask for. */
      dropsUsage: boolean;
      /** The event that a stream ends with if the connection to the provider fails. */
      brokenEvent: () => string;
      /** The event that replaces an error event of the provider with a secret. The stream ends with it. */
      secretEvent: () => string;
      /** Values that must not reach a caller. */
      secrets: readonly string[];
    },
  ) {
    this.body = new Body(undefined, {
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        if (!this.#isWaiting) source.resume();
      },
      cancel: () => {
        this.#isOver = true;
        source.cancel();
      },
    });
  }

  start(): void {
    this.source.consume(this);
  }

  write(piece: Buffer): boolean {
    if (this.#isOver) return true;
    const holding = this.options.holding();
    if (!holding) return this.#forward(piece);
    this.#isWaiting = true;
    void holding.then(() => {
      this.#isWaiting = false;
      if (!this.#isOver && this.#forward(piece)) this.source.resume();
    });
    return false;
  }

  #forward(piece: Buffer): boolean {
    if (this.options.dropsUsage) this.#writeEvents(piece);
    else this.#writePiece(piece);
    return !this.#isPaused;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const rest = this.#takeHeld();
    if (rest && !(this.options.dropsUsage && isUsageEvent(rest)))
      this.body.push(this.#isSecret(rest) ? Buffer.from(this.options.secretEvent()) : rest);
    this.body.end();
  }

  fail(): void {
    this.stop(this.options.brokenEvent());
  }

  /** Ends the stream with an event, and cancels the provider's. */
  stop(event: string): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#held = [];
      this.body.push(Buffer.from(event));
      this.body.end();
    }
    // The rest is not read without the client either.
    this.source.keepsReading = undefined;
    this.source.cancel();
  }

  /** Forwards the complete events of a piece together. */
  #writePiece(piece: Buffer): void {
    let end = 0;
    for (let next = this.#eventEnd(piece, 0); next !== -1; next = this.#eventEnd(piece, next)) end = next;
    if (end > 0) {
      const complete = end === piece.length ? piece : piece.subarray(0, end);
      if (this.#held.length === 0) this.#push(complete);
      else {
        this.#held.push(complete);
        this.#push(this.#takeHeld()!);
      }
    }
    if (end < piece.length) this.#hold(end === 0 ? piece : piece.subarray(end));
  }

  /** Forwards the events of a piece that are not left out, together where possible. */
  #writeEvents(piece: Buffer): void {
    let kept = 0;
    let start = 0;
    for (let end = this.#eventEnd(piece, 0); end !== -1; end = this.#eventEnd(piece, end)) {
      if (this.#held.length > 0) {
        this.#hold(piece.subarray(0, end));
        const event = this.#takeHeld()!;
        if (!isUsageEvent(event)) this.#push(event);
        kept = end;
      } else if (isUsageEvent(piece.subarray(start, end))) {
        if (start > kept) this.#push(piece.subarray(kept, start));
        kept = end;
      }
      start = end;
    }
    if (start > kept) this.#push(kept === 0 && start === piece.length ? piece : piece.subarray(kept, start));
    if (start < piece.length) this.#hold(start === 0 ? piece : piece.subarray(start));
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > maxHeldBytes) this.#push(this.#takeHeld()!);
  }

  #push(events: Buffer): void {
    if (this.#isOver) return;
    if (this.#isSecret(events)) this.stop(this.options.secretEvent());
    else this.body.push(events);
  }

  #isSecret(events: Buffer): boolean {
    return this.options.secrets.some((secret) => events.includes(secret)) && isError.test(events.toString("latin1"));
  }

  #takeHeld(): Buffer | undefined {
    const held = this.#held;
    if (held.length === 0) return undefined;
    this.#held = [];
    this.#heldBytes = 0;
    return held.length === 1 ? held[0] : Buffer.concat(held);
  }

  /** Returns the end of the event that continues at `from`: after an empty line. -1 if the piece ends before. */
  #eventEnd(piece: Buffer, from: number): number {
    let isEmpty = this.#isLineEmpty;
    let wasReturn = this.#wasReturn;
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte !== lineFeed && byte !== carriageReturn) {
        isEmpty = false;
        wasReturn = false;
        continue;
      }
      if (byte === lineFeed && wasReturn) {
        wasReturn = false;
        continue;
      }
      wasReturn = byte === carriageReturn;
      if (!isEmpty) {
        isEmpty = true;
        continue;
      }
      // The line feed of the same line end belongs to the event.
      const isPair = wasReturn && piece[at + 1] === lineFeed;
      this.#isLineEmpty = true;
      this.#wasReturn = wasReturn && !isPair;
      return at + (isPair ? 2 : 1);
    }
    this.#isLineEmpty = isEmpty;
    this.#wasReturn = wasReturn;
    return -1;
  }
}

const choices = Buffer.from('"choices"');
const space = 0x20;
const tab = 0x09;
const colon = 0x3a;
const open = 0x5b;
const close = 0x5d;

/** Whether an event is the one that reports the usage of a streamed chat completion: it has no choices, and a usage. */
export function isUsageEvent(event: Buffer): boolean {
  // Most events have choices, and need not be parsed.
  const at = event.indexOf(choices);
  if (at === -1 || !isEmptyList(event, at + choices.length)) return false;
  try {
    const { choices: list, usage } = JSON.parse(dataOf(event)) as { choices?: unknown; usage?: unknown };
    return Array.isArray(list) && list.length === 0 && typeof usage === "object" && usage !== null;
  } catch {
    return false;
  }
}

function isEmptyList(bytes: Buffer, from: number): boolean {
  let at = skipped(bytes, from);
  if (bytes[at] !== colon) return false;
  at = skipped(bytes, at + 1);
  return bytes[at] === open && bytes[skipped(bytes, at + 1)] === close;
}

function skipped(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === space || bytes[at] === tab) at += 1;
  return at;
}

/** The data of an event: its lines without their field names. */
function dataOf(event: Buffer): string {
  return event
    .toString()
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith("data:") ? line.slice(5) : []))
    .join("\n");
}
