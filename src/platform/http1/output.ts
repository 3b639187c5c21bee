import { outgoing } from "./outgoing.ts";

/** As much of a socket as is written to. */
type Writable = Pick<Bun.Socket<unknown>, "write" | "shutdown">;

/** Writes to a socket whatever comes, keeps what it does not take yet, and tells when to go on. */
export class Output {
  #waiting: Uint8Array[] = [];
  #isEnding = false;
  /** Told once everything that waited is written. */
  onDrained: (() => void) | undefined;

  constructor(private readonly socket: Writable) {}

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Writes what was put together. */
  send(): void {
    const { memory, length } = outgoing;
    const written = this.#waiting.length > 0 ? 0 : this.socket.write(memory, 0, length);
    if (written === length || written < 0) return;
    this.#waiting.push(Buffer.from(memory.subarray(written, length)));
  }

  /** In Latin-1. */
  text(text: string): void {
    outgoing.begin(text);
    this.send();
  }

  /** False: wait for `onDrained` before writing more. */
  bytes(bytes: Uint8Array): boolean {
    if (this.#waiting.length > 0) {
      this.#waiting.push(bytes);
      return false;
    }
    const written = this.socket.write(bytes);
    // Less than nothing: the connection is over, and its owner is told so by other means.
    if (written === bytes.length || written < 0) return true;
    this.#waiting.push(bytes.subarray(written));
    return false;
  }

  /** The socket takes bytes again. */
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

  /** Ends what is said over the connection once it is written; what the other side still says is heard. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.socket.shutdown();
  }
}
