import { Malformed } from "./malformed.ts";

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const notInValues = /[^\t\x20-\x7e\x80-\xff]/;

/** Names as they were spelled, and in lower case: the same few come all the time, and need to be looked at only once. */
const knownNames = new Map<string, string>();
const mostKnownNames = 2_000;
const longestKnownName = 64;

/** The headers of a message, in their order. Names are compared without regard to case and kept in lower case. */
export class HttpHeaders implements Iterable<[name: string, value: string]> {
  /** Name, value, name, value. */
  readonly #pairs: string[];

  constructor(from: Iterable<readonly [name: string, value: string]> | Record<string, string> = []) {
    this.#pairs = [];
    const entries = Symbol.iterator in from ? from : Object.entries(from);
    for (const [name, value] of entries as Iterable<readonly [string, string]>) this.append(name, value);
  }

  /** The lines from `from` on, each ended by CRLF but the last. Whether they hold control characters is known already. */
  static parse(head: string, from: number): HttpHeaders {
    const headers = new HttpHeaders();
    const pairs = headers.#pairs;
    let at = from;
    while (at < head.length) {
      const found = head.indexOf("\r\n", at);
      const end = found === -1 ? head.length : found;
      const colon = head.indexOf(":", at);
      if (colon === -1 || colon > end) throw new Malformed("a header line has no colon");
      pairs.push(nameOf(head.slice(at, colon)), trimmed(head, colon + 1, end));
      at = end + 2;
    }
    return headers;
  }

  /** Several of one name are joined, as they mean the same as a list. */
  get(name: string): string | null {
    const pairs = this.#pairs;
    let value: string | null = null;
    for (let at = 0; at < pairs.length; at += 2)
      if (pairs[at] === name) value = value === null ? pairs[at + 1]! : `${value}, ${pairs[at + 1]}`;
    return value;
  }

  has(name: string): boolean {
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return true;
    return false;
  }

  count(name: string): number {
    const pairs = this.#pairs;
    let count = 0;
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) count += 1;
    return count;
  }

  /** In the place of the first of that name, or at the end. */
  set(name: string, value: string): void {
    const pairs = this.#pairs;
    const lower = nameOf(name);
    checkValue(value);
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] !== lower) continue;
      pairs[at + 1] = value;
      this.#remove((other, index) => other === lower && index > at);
      return;
    }
    pairs.push(lower, value);
  }

  append(name: string, value: string): void {
    checkValue(value);
    this.#pairs.push(nameOf(name), value);
  }

  delete(name: string): void {
    const lower = nameOf(name);
    if (this.has(lower)) this.#remove((other) => other === lower);
  }

  /** Takes out all that are named so. */
  deleteWhere(isDropped: (name: string) => boolean): void {
    this.#remove(isDropped);
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) yield [pairs[at]!, pairs[at + 1]!];
  }

  /** As lines of a head, each with its end; without those that `isLeftOut`. */
  toLines(isLeftOut: (name: string) => boolean): string {
    const pairs = this.#pairs;
    let lines = "";
    for (let at = 0; at < pairs.length; at += 2)
      if (!isLeftOut(pairs[at]!)) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`;
    return lines;
  }

  #remove(isDropped: (name: string, at: number) => boolean): void {
    const pairs = this.#pairs;
    let kept = 0;
    for (let at = 0; at < pairs.length; at += 2) {
      if (isDropped(pairs[at]!, at)) continue;
      if (kept !== at) {
        pairs[kept] = pairs[at]!;
        pairs[kept + 1] = pairs[at + 1]!;
      }
      kept += 2;
    }
    pairs.length = kept;
  }
}

function nameOf(spelled: string): string {
  const known = knownNames.get(spelled);
  if (known !== undefined) return known;
  // Whitespace before the colon is not a token either: two servers must not read one line as two headers.
  if (!token.test(spelled)) throw new Malformed("a header has a name that is none");
  const lower = spelled.toLowerCase();
  if (knownNames.size < mostKnownNames && spelled.length <= longestKnownName) knownNames.set(spelled, lower);
  return lower;
}

/** What is set here came from options, from code and from storage: none of it may end a line. */
function checkValue(value: string): void {
  if (notInValues.test(value)) throw new Malformed("a header's value holds characters that no header may hold");
}

const tab = 0x09;
const space = 0x20;

function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
