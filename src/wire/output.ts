/** As much of a socket as is written to. */
type Writable = Pick<Bun.Socket<unknown>, "write" | "shutdown">;

/** A copy of so much costs less than another call of the system. */
const smallContent = 16 * 1024;

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

  /** Text of a head, in Latin-1. False: wait for `onDrained` before writing more. */
  text(text: string): boolean {
    // Bun writes strings as UTF-8, which for anything but ASCII would be other bytes.
    const isAscii = Buffer.byteLength(text) === text.length;
    if (!isAscii || this.#waiting.length > 0) return this.bytes(Buffer.from(text, "latin1"));
    const written = this.socket.write(text);
    if (written === text.length || written < 0) return true;
    this.#waiting.push(Buffer.from(text, "latin1").subarray(written));
    return false;
  }

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

  /** A head, and the whole of what follows it: text as UTF-8, in one piece where it is small. */
  message(head: string, content: string | Uint8Array): void {
    if (typeof content === "string" && Buffer.byteLength(content) === content.length) {
      this.text(head + content);
      return;
    }
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (bytes.length <= smallContent) {
      this.bytes(Buffer.concat([Buffer.from(head, "latin1"), bytes]));
      return;
    }
    this.text(head);
    this.bytes(bytes);
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
