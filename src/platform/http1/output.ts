import { outgoing } from "./outgoing.ts";

type Writable = Pick<Bun.Socket<unknown>, "write" | "shutdown">;

/** Writes to a socket, buffers what it does not accept yet, and signals when it drained. */
export class Output {
  #waiting: Uint8Array[] = [];
  #isEnding = false;
  /** Called when the buffer is written. */
  onDrained: (() => void) | undefined;

  constructor(private readonly socket: Writable) {}

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Writes the message in `outgoing`. */
  send(): void {
    const { memory, length } = outgoing;
    const written = this.#waiting.length > 0 ? 0 : this.socket.write(memory, 0, length);
    if (written === length || written < 0) return;
    this.#waiting.push(Buffer.from(memory.subarray(written, length)));
  }

  /** Latin-1. */
  text(text: string): void {
    outgoing.begin(text);
    this.send();
  }

  /** Returns false if the caller should wait for `onDrained`. */
  bytes(bytes: Uint8Array): boolean {
    if (this.#waiting.length > 0) {
      this.#waiting.push(bytes);
      return false;
    }
    const written = this.socket.write(bytes);
    // Negative if the socket is closed; the close callback reports that.
    if (written === bytes.length || written < 0) return true;
    this.#waiting.push(bytes.subarray(written));
    return false;
  }

  /** The socket is writable again. */
  drained(): void {
    while (this.#waiting.length > 0) {
      const bytes = this.#waiting[0]!;
      const written = this.socket.write(bytes);
      if (written < 0) break;
      if (written < bytes.length) {
        this.#waiting[0] = bytes.subarray(written);
        return;
      }
      this.#waiting.shift();
    }
    this.#waiting.length = 0;
    if (this.#isEnding) this.socket.shutdown();
    else this.onDrained?.();
  }

  /** Half-closes the socket once everything is written; reading goes on. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.socket.shutdown();
  }
}
