import { JsonNumbers } from "./json-numbers.ts";

/** Longer events are ignored. */
const maxEventLength = 1024 * 1024;

/** In UTF-8, decoded as Latin-1. A stream may begin with it. */
const byteOrderMark = "\u00ef\u00bb\u00bf";

/** Finds the last numbers that JSON pointers select in the data of server-sent events, which arrive in pieces. */
export class EventNumbers {
  readonly values: (number | undefined)[];
  /** A text that an event must contain to be parsed: most events contain no number to count. */
  readonly #names: string[];
  #line = "";
  #data: string | undefined;
  #isTooLong = false;
  #isFirstLine = true;

  constructor(private readonly pointers: readonly string[]) {
    this.values = pointers.map(() => undefined);
    this.#names = pointers.map((pointer) => JSON.stringify(pointer.slice(pointer.lastIndexOf("/") + 1)).slice(1, -1));
  }

  push(piece: Buffer): void {
    const text = this.#line + piece.toString("latin1");
    // The line feed of a CRLF may be in the next piece.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#line = lines.pop()!;
    for (const line of lines) this.#read(line);
    if (this.#line.length <= maxEventLength) return;
    this.#line = "data:";
    this.#isTooLong = true;
  }

  /** An event that the end of the stream cuts off counts, because its data has arrived. */
  end(): void {
    this.#read(this.#line.replace(/\r$/, ""));
    this.#read("");
  }

  #read(received: string): void {
    const line = this.#isFirstLine && received.startsWith(byteOrderMark) ? received.slice(3) : received;
    this.#isFirstLine = false;
    if (line === "") {
      if (this.#data !== undefined && !this.#isTooLong) this.#count(this.#data);
      this.#data = undefined;
      this.#isTooLong = false;
    } else if (line.startsWith("data:")) {
      const data = line.slice(line[5] === " " ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
      if (this.#data.length > maxEventLength) this.#isTooLong = true;
    }
  }

  #count(data: string): void {
    if (!this.#names.some((name) => data.includes(name))) return;
    const numbers = new JsonNumbers(this.pointers);
    numbers.push(Buffer.from(data, "latin1"));
    numbers.end();
    for (const [at, value] of numbers.values.entries()) if (value !== undefined) this.values[at] = value;
  }
}
