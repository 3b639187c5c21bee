import { ownCopy } from "../../lib/own-copy.ts";
import { Malformed } from "./malformed.ts";
import { bitOf, type NameSet } from "./name-set.ts";
import { outgoing } from "./outgoing.ts";

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const notInValues = /[^\t\x20-\x7e\x80-\xff]/;

/** Names as they were spelled, and in lower case: the same few come all the time, and need to be looked at only once. */
const knownNames = new Map<string, string>();
const mostKnownNames = 2_000;
const longestKnownName = 64;

/** For eight headers: most messages are given fewer than that. */
const usualRoom = 16;

/** The headers of a message, in their order. Names are compared without regard to case and kept in lower case. */
export class HttpHeaders implements Iterable<[name: string, value: string]> {
  /** Name and value, name and value, …, and room for more: an array that grows is copied each time. */
  #parts: string[];
  #count = 0;
  /** A bit for each name that was ever in here: most are asked for where they are not, and not looked for then. */
  #bits = 0;
  /** Headers that follow and are shared with others: they are neither copied nor changed. */
  #shared: HttpHeaders | undefined;
  /** All lines, once somebody shares them. */
  #text: string | undefined;

  constructor(from?: Iterable<readonly [name: string, value: string]> | Record<string, string>, room = usualRoom) {
    this.#parts = new Array(room);
    if (from === undefined) return;
    const entries = Symbol.iterator in from ? from : Object.entries(from);
    for (const [name, value] of entries as Iterable<readonly [string, string]>) this.append(name, value);
  }

  /** The lines from `from` on, each ended by CRLF but the last. Whether they hold control characters is known already. */
  static parse(head: string, from: number): HttpHeaders {
    const headers = new HttpHeaders();
    let at = from;
    while (at < head.length) {
      const found = head.indexOf("\r\n", at);
      const end = found === -1 ? head.length : found;
      const colon = head.indexOf(":", at);
      if (colon === -1 || colon > end) throw new Malformed("a header line has no colon");
      headers.#push(nameOf(head.slice(at, colon)), trimmed(head, colon + 1, end));
      at = end + 2;
    }
    return headers;
  }

  copy(): HttpHeaders {
    const count = this.#count;
    const copy = new HttpHeaders(undefined, count + usualRoom);
    for (let at = 0; at < count; at++) copy.#parts[at] = this.#parts[at]!;
    copy.#count = count;
    copy.#bits = this.#bits;
    copy.#shared = this.#shared;
    return copy;
  }

  /** Several of one name are joined, as they mean the same as a list. */
  get(name: string): string | null {
    if ((this.#bits & bitOf(name)) === 0) return null;
    const parts = this.#parts;
    let value: string | null = null;
    for (let at = 0; at < this.#count; at += 2)
      if (parts[at] === name) value = value === null ? parts[at + 1]! : `${value}, ${parts[at + 1]}`;
    return value ?? this.#shared?.get(name) ?? null;
  }

  has(name: string): boolean {
    if ((this.#bits & bitOf(name)) === 0) return false;
    const parts = this.#parts;
    for (let at = 0; at < this.#count; at += 2) if (parts[at] === name) return true;
    return this.#shared?.has(name) ?? false;
  }

  count(name: string): number {
    const parts = this.#parts;
    let count = 0;
    for (let at = 0; at < this.#count; at += 2) if (parts[at] === name) count += 1;
    return count + (this.#shared?.count(name) ?? 0);
  }

  /** In the place of the first of that name, or at the end. */
  set(name: string, value: string): void {
    const lower = nameOf(name);
    checkValue(value);
    this.setOwn(lower, value);
  }

  /** The same for what needs no looking at: a name of ours, and a value that is known to be one. */
  setOwn(lower: string, value: string): void {
    if (!this.has(lower)) {
      this.#push(lower, value);
      return;
    }
    this.#unshare();
    const parts = this.#parts;
    let first = 0;
    while (parts[first] !== lower) first += 2;
    parts[first + 1] = value;
    this.#remove((other, at) => other === lower && at > first);
  }

  setAll(others: HttpHeaders): void {
    const parts = others.#parts;
    for (let at = 0; at < others.#count; at += 2) this.setOwn(parts[at]!, parts[at + 1]!);
  }

  /** The same for headers that many messages get: they are written in one piece, and must not be changed any more. */
  share(others: HttpHeaders): void {
    let isNew = this.#shared === undefined;
    for (let at = 0; isNew && at < others.#count; at += 2) isNew = !this.has(others.#parts[at]!);
    if (!isNew) {
      this.setAll(others);
      return;
    }
    this.#shared = others;
    this.#bits |= others.#bits;
  }

  append(name: string, value: string): void {
    checkValue(value);
    this.#unshare();
    this.#push(nameOf(name), value);
  }

  delete(name: string): void {
    const lower = nameOf(name);
    if (this.has(lower)) this.#remove((other) => other === lower);
  }

  /** The same for several names, and for those that an upstream may read as one of them. */
  deleteAll(names: NameSet): void {
    if (this.mayHold(names)) this.#remove((other) => names.has(other));
  }

  /** Takes out all that are named so. */
  deleteWhere(isDropped: (name: string) => boolean): void {
    this.#remove(isDropped);
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const parts = this.#parts;
    for (let at = 0; at < this.#count; at += 2) yield [parts[at]!, parts[at + 1]!];
    if (this.#shared) yield* this.#shared;
  }

  /** Adds them to the message that is being put together, without those that are left out. */
  write(leftOut: NameSet): void {
    const parts = this.#parts;
    const mayHold = this.mayHold(leftOut);
    for (let at = 0; at < this.#count; at += 2)
      if (!mayHold || !leftOut.has(parts[at]!)) outgoing.line(parts[at]!, parts[at + 1]!);
    if (!this.#shared) return;
    if (this.#shared.mayHold(leftOut)) this.#shared.write(leftOut);
    else outgoing.text(this.#shared.#lines());
  }

  /** False: none of them is in here. */
  mayHold(names: NameSet): boolean {
    return (this.#bits & names.bits) !== 0;
  }

  #push(lower: string, value: string): void {
    this.#parts[this.#count] = lower;
    this.#parts[this.#count + 1] = value;
    this.#count += 2;
    this.#bits |= bitOf(lower);
  }

  #lines(): string {
    this.#text ??= ownCopy([...this].map(([name, value]) => `${name}: ${value}\r\n`).join(""));
    return this.#text;
  }

  #unshare(): void {
    const shared = this.#shared;
    if (!shared) return;
    this.#shared = undefined;
    for (const [name, value] of shared) this.#push(name, value);
  }

  #remove(isDropped: (name: string, at: number) => boolean): void {
    this.#unshare();
    const parts = this.#parts;
    let kept = 0;
    for (let at = 0; at < this.#count; at += 2) {
      if (isDropped(parts[at]!, at)) continue;
      if (kept !== at) {
        parts[kept] = parts[at]!;
        parts[kept + 1] = parts[at + 1]!;
      }
      kept += 2;
    }
    this.#count = kept;
  }
}

function nameOf(spelled: string): string {
  const known = knownNames.get(spelled);
  if (known !== undefined) return known;
  // Whitespace before the colon is not a token either: two servers must not read one line as two headers.
  if (!token.test(spelled)) throw new Malformed("a header has a name that is none");
  const lower = spelled.toLowerCase();
  if (knownNames.size < mostKnownNames && spelled.length <= longestKnownName)
    knownNames.set(ownCopy(spelled), ownCopy(lower));
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
