/** Above this a call of the engine, 25 ns, costs less than a loop. */
const longText = 16;

/** Half the time of `write` with its options; Node has it too, if not in its types. */
type FastBuffer = Buffer & { latin1Write(text: string, at: number): number };

/**
 * The bytes of a message while it is put together. Texts that are joined instead are first made into trees, then into one
 * text, then into bytes: twice the time, and all of it garbage.
 */
class Outgoing {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024) as FastBuffer;
  #length = 0;

  /** Whatever became of the message before. */
  begin(text: string): void {
    this.#length = 0;
    this.text(text);
  }

  /** In Latin-1, as heads are. */
  text(text: string): void {
    const at = this.#makeRoomFor(text.length);
    copy(text, this.#bytes, at);
  }

  line(name: string, value: string): void {
    const at = this.#makeRoomFor(name.length + value.length + 4);
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
    const at = this.#makeRoomFor(size);
    this.#bytes.write(text, at);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#makeRoomFor(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** All of them from there on. */
  rest(bytes: Buffer, from: number): void {
    const at = this.#makeRoomFor(bytes.length - from);
    bytes.copy(this.#bytes, at, from);
  }

  /** What was put together, to be used before the next message begins. */
  get memory(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Answers where what is added begins. */
  #makeRoomFor(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#length) as FastBuffer;
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

/** One for all: a message is put together and written without a break. */
export const outgoing = new Outgoing();
