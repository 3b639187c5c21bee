/** Above this length a native call (25 ns) costs less than a loop. */
const longText = 16;

/** Takes half the time of `write`. Node has this method too, but not in its types. */
type FastBuffer = Buffer & { latin1Write(text: string, at: number): number };

/** A few times the amount that `write-queue.ts` queues. */
const initialSize = 256 * 1024;

/**
 * The buffer in which messages are serialized. Concatenating strings instead builds a rope, flattens it and encodes it,
 * which takes twice the time and leaves garbage.
 */
class Outgoing {
  #bytes = Buffer.allocUnsafeSlow(initialSize) as FastBuffer;
  /** The start of the message. The bytes before it belong to messages that are kept. */
  #start = 0;
  #end = 0;
  #kept = 0;

  /** Starts a new message. The last message is lost unless it was kept. */
  begin(text: string): void {
    this.#start = this.#kept;
    this.#end = this.#kept;
    this.text(text);
  }

  /** Keeps the message in memory until `clear`. */
  keep(): void {
    this.#kept = this.#end;
  }

  clear(): void {
    this.#kept = 0;
  }

  /** Latin-1. */
  text(text: string): void {
    const at = this.#reserve(text.length);
    copy(text, this.#bytes, at);
  }

  line(name: string, value: string): void {
    const at = this.#reserve(name.length + value.length + 4);
    const bytes = this.#bytes;
    const colon = at + name.length;
    const end = colon + 2 + value.length;
    copy(name, bytes, at);
    bytes[colon] = 0x3a;
    bytes[colon + 1] = 0x20;
    copy(value, bytes, colon + 2);
    bytes[end] = 0x0d;
    bytes[end + 1] = 0x0a;
  }

  utf8(text: string, size: number): void {
    const at = this.#reserve(size);
    this.#bytes.write(text, at);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  slice(bytes: Buffer, from: number): void {
    const at = this.#reserve(bytes.length - from);
    bytes.copy(this.#bytes, at, from);
  }

  /** The message is the range from `start` to `end`. If a message outgrows the memory, a larger one replaces it. */
  get memory(): Buffer {
    return this.#bytes;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** Returns the offset at which to write. */
  #reserve(size: number): number {
    const at = this.#end;
    this.#end += size;
    if (this.#end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#end) as FastBuffer;
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

function copy(text: string, bytes: FastBuffer, at: number): void {
  if (text.length > longText) bytes.latin1Write(text, at);
  else for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
}

/** One per process, because a message is serialized and queued synchronously. */
export const outgoing = new Outgoing();
