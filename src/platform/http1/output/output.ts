import { bufferPiece, type Reservation } from "../memory/buffer-memory.ts";
import { outgoing } from "./outgoing.ts";

type Writable = Pick<Bun.Socket<unknown>, "write" | "shutdown" | "end" | "terminate">;

/** Up to this size, copying costs less than another system call. */
export const smallContent = 16 * 1024;

/** Writes to a socket, buffers the bytes that it does not accept yet, and signals when it has drained. */
export class Output {
  /** The queued range of `outgoing` begins here and ends at `#queuedEnd`. */
  #queuedStart = 0;
  #queuedEnd = 0;
  #waiting: Buffer[] = [];
  /** The bytes of the first waiting piece that are written. All of it stays in memory until the last one is. */
  #written = 0;
  #reservation: Reservation | undefined;
  #isOver = false;
  #isEnding = false;
  #isFinal = false;
  /** Counts the writes. */
  writes = 0;
  /** Called when the buffer has been written. */
  onDrained: (() => void) | undefined;

  constructor(
    private readonly socket: Writable,
    readonly peer: "client" | "server",
    /** Returns the reservation of the bytes that wait. A connection for which there is no memory is closed. */
    private readonly reservation?: () => Reservation,
  ) {}

  /** The socket did not accept all bytes. Queued messages have not been tried yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Queues the message in `outgoing`: it is written at the end of the event loop's turn. */
  send(): void {
    const { start, end } = outgoing;
    this.writes += 1;
    const isQueued = this.#queuedEnd > this.#queuedStart;
    const follows = isQueued && this.#queuedEnd === start;
    if (isQueued && !follows) this.flush();
    if (this.#waiting.length > 0) {
      this.#wait(Buffer.from(outgoing.memory.subarray(start, end)));
      return;
    }
    if (!follows) this.#queuedStart = start;
    this.#queuedEnd = end;
    writeQueue.add(this);
  }

  /** Latin-1. */
  text(text: string): void {
    outgoing.begin(text);
    this.send();
  }

  /** Returns false if the caller should wait for `onDrained`. */
  bytes(bytes: Uint8Array): boolean {
    if (bytes.length <= smallContent) {
      outgoing.begin("");
      outgoing.bytes(bytes);
      this.send();
      return !this.isWaiting;
    }
    this.writes += 1;
    this.flush();
    if (this.#waiting.length > 0) {
      this.#wait(bytes);
      return false;
    }
    const written = this.socket.write(bytes);
    // Negative if the socket is closed, which the close callback reports.
    if (written === bytes.length || written < 0) return true;
    this.#wait(bytes, written);
    return false;
  }

  /** Writes the queued messages now, because unqueued bytes follow. */
  flush(): void {
    const start = this.#queuedStart;
    const size = this.#queuedEnd - start;
    if (size === 0) return;
    this.#queuedStart = 0;
    this.#queuedEnd = 0;
    const { memory } = outgoing;
    const written = this.socket.write(memory, start, size);
    if (written === size || written < 0) return;
    this.#wait(Buffer.from(memory.subarray(start + written, start + size)));
  }

  /** The socket is writable again. */
  drained(): void {
    while (this.#waiting.length > 0) {
      const bytes = this.#waiting[0]!;
      const rest = bytes.length - this.#written;
      const written = this.socket.write(bytes, this.#written, rest);
      if (written < 0) break;
      if (written < rest) {
        this.#written += written;
        return;
      }
      this.#waiting.shift();
      this.#written = 0;
      this.#reservation?.release(bytes.length);
    }
    this.#clear();
    if (this.#isEnding) this.#shutdown();
    else this.onDrained?.();
  }

  /**
   * Half-closes the socket once everything is written and continues to read; closes it if the peer has closed its half.
   */
  end(isFinal = false): void {
    const isEnding = this.#isEnding;
    this.flush();
    this.#isEnding = true;
    this.#isFinal ||= isFinal;
    if (!isEnding && this.#waiting.length === 0) this.#shutdown();
  }

  /** The socket is closed. */
  closed(): void {
    this.#isOver = true;
    this.#clear();
  }

  #clear(): void {
    this.#waiting = [];
    this.#written = 0;
    this.#reservation?.release();
    this.#reservation = undefined;
  }

  #wait(bytes: Uint8Array, written = 0): void {
    if (this.#isOver) return;
    this.#reservation ??= this.reservation?.();
    if (this.#reservation?.reserve(bytes.length) === false) {
      this.closed();
      this.socket.terminate();
      return;
    }
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // Small pieces are joined, but not with a piece of which a part is written.
    if (this.#written === 0 || this.#waiting.length > 1) bufferPiece(this.#waiting, piece);
    else this.#waiting.push(piece);
    if (written > 0) this.#written = written;
  }

  #shutdown(): void {
    if (this.#isFinal) this.socket.end();
    else this.socket.shutdown();
  }
}

interface Queued {
  readonly peer: "client" | "server";
  /** Writes its queued messages to its socket. */
  flush(): void;
}

/**
 * Beyond either limit queued messages are written immediately: peers can start working, and the memory stays in the
 * processor's cache.
 */
const maxMessages = 64;
const maxBytes = 64 * 1024;

/**
 * Messages that wait in `outgoing` for the end of the event loop's turn, when immediates run: after the callbacks of
 * all readable sockets, and before the loop polls again. Written one by one, each message would wake its peer, which
 * handles it and sleeps again; written together, all but the first find the peer awake. Servers are written first
 * because their work takes longest. The measurements are in docs/decisions/http.md.
 */
class WriteQueue {
  readonly #toServers: Queued[] = [];
  readonly #toClients: Queued[] = [];
  #isScheduled = false;
  #isFlushing = false;

  /** Keeps the message in `outgoing`. */
  add(output: Queued): void {
    outgoing.keep();
    if (output.peer === "server") this.#toServers.push(output);
    else this.#toClients.push(output);
    this.#schedule();
    if (this.#isFlushing) return;
    if (this.#length >= maxMessages || outgoing.end > maxBytes) this.#flush();
  }

  get #length(): number {
    return this.#toServers.length + this.#toClients.length;
  }

  /**
   * The memory is cleared last, because callbacks of a failed write may send more. If one throws, the others are still
   * written.
   */
  #flush(): void {
    this.#isFlushing = true;
    try {
      while (this.#length > 0) {
        flushAll(this.#toServers);
        flushAll(this.#toClients);
      }
      outgoing.clear();
    } finally {
      this.#isFlushing = false;
      if (this.#length > 0) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTurnEnd);
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false;
    this.#flush();
  };
}

function flushAll(outputs: Queued[]): void {
  for (let index = 0; index < outputs.length; index++) outputs[index]!.flush();
  outputs.length = 0;
}

/** One per process, like `outgoing`. */
export const writeQueue = new WriteQueue();
