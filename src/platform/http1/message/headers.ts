import { ownCopy } from "../../../lib/cache/own-copy.ts";
import { outgoing } from "../output/outgoing.ts";
import { bitOf, type NameSet } from "./name-set.ts";
import { ProtocolError } from "./protocol-error.ts";

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const notInValues = /[^\t\x20-\x7e\x80-\xff]/;

/** Maps names as spelled to lower case. The same few names recur and are validated only once. */
const knownNames = new Map<string, string>();
const maxKnownNames = 2_000;
const maxKnownNameLength = 64;

/** Room for eight headers; most messages add fewer. */
const initialRoom = 16;

const none: readonly string[] = [];

/** The headers of a message, in order. Names are case-insensitive and stored in lower case. */
export class HttpHeaders implements Iterable<[name: string, value: string]> {
  /** Alternating names and values, with spare capacity because growing an array copies it. */
  #parts: string[];
  #count = 0;
  /** A Bloom filter of the names added so far: most look-ups are for absent names and end here. */
  #bits = 0;
  /** Headers shared between messages, after the message's own. They are never changed. */
  #shared: HttpHeaders | undefined;
  /** The lines from which these headers were parsed. */
  #lines: readonly string[] = none;
  /** The serialized lines, cached once these headers are shared. */
  #text: string | undefined;

  constructor(from?: Iterable<readonly [name: string, value: string]> | Record<string, string>, room = initialRoom) {
    this.#parts = new Array(room);
    if (from === undefined) return;
    const entries = Symbol.iterator in from ? from : Object.entries(from);
    for (const [name, value] of entries as Iterable<readonly [string, string]>) this.append(name, value);
  }

  /**
   * Parses lines from `from`, separated by CRLF. Control characters and bare CR or LF are rejected, which parsers read
   * differently: the basis of request smuggling.
   * @param last the headers of the message before this one on its connection. Most lines are the same again, and
   * comparing one takes a tenth of the time of parsing it
   */
  static parse(head: string, from: number, last?: HttpHeaders): HttpHeaders {
    const headers = new HttpHeaders();
    const lines: string[] = [];
    let at = from;
    for (let index = 0; at < head.length; index++) {
      const known = last === undefined ? undefined : last.#lines[index];
      if (known && head.startsWith(known, at)) {
        headers.#push(last!.#parts[2 * index]!, last!.#parts[2 * index + 1]!);
        lines.push(known);
        at += known.length;
        continue;
      }
      const found = head.indexOf("\r\n", at);
      const end = found === -1 ? head.length : found;
      const slice = head.slice(at, end);
      // A slice would retain each head of which a line is kept.
      const line = last ? ownCopy(slice) : slice;
      if (notInValues.test(line)) throw new ProtocolError("the head contains forbidden characters");
      const colon = line.indexOf(":");
      if (colon === -1) throw new ProtocolError("a header line has no colon");
      headers.#push(nameOf(line.slice(0, colon)), trimmed(line, colon + 1, line.length));
      // Without its end, a line may be the beginning of a longer one.
      if (last) lines.push(found === -1 ? "" : `${line}\r\n`);
      at = end + 2;
    }
    if (last) headers.#lines = lines;
    return headers;
  }

  copy(): HttpHeaders {
    const count = this.#count;
    const copy = new HttpHeaders(undefined, count + initialRoom);
    for (let at = 0; at < count; at++) copy.#parts[at] = this.#parts[at]!;
    copy.#count = count;
    copy.#bits = this.#bits;
    copy.#shared = this.#shared;
    return copy;
  }

  /** Returns the value of a header. Repeated headers are joined with a comma. */
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

  /** Replaces the first header of that name, or appends one. Throws a ProtocolError if name or value is invalid. */
  set(name: string, value: string): void {
    const lower = nameOf(name);
    checkValue(value);
    this.setOwn(lower, value);
  }

  /** Like `set` without validation, for trusted names (in lower case) and values. */
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

  /**
   * Like `setAll`, for headers that many messages share. They are serialized once and must not be changed afterwards.
   */
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

  /** Deletes all of `names`, including spellings that an upstream may treat as one of them. */
  deleteAll(names: NameSet): void {
    if (this.mayHold(names)) this.#remove((other) => names.has(other));
  }

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

  /** Writes the header lines to `outgoing`, except the excluded ones. */
  write(excluded: NameSet): void {
    const parts = this.#parts;
    const mayHold = this.mayHold(excluded);
    for (let at = 0; at < this.#count; at += 2)
      if (!mayHold || !excluded.has(parts[at]!)) outgoing.line(parts[at]!, parts[at + 1]!);
    if (!this.#shared) return;
    if (this.#shared.mayHold(excluded)) this.#shared.write(excluded);
    else outgoing.text(this.#shared.#serialized());
  }

  /** Returns false if none of `names` is present. True may be wrong. */
  mayHold(names: NameSet): boolean {
    return (this.#bits & names.bits) !== 0;
  }

  #push(lower: string, value: string): void {
    this.#parts[this.#count] = lower;
    this.#parts[this.#count + 1] = value;
    this.#count += 2;
    this.#bits |= bitOf(lower);
  }

  #serialized(): string {
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
  // Also rejects whitespace before the colon, which servers parse differently.
  if (!token.test(spelled)) throw new ProtocolError("a header name is invalid");
  const lower = spelled.toLowerCase();
  if (knownNames.size < maxKnownNames && spelled.length <= maxKnownNameLength)
    knownNames.set(ownCopy(spelled), ownCopy(lower));
  return lower;
}

/** Values may come from options, code or storage. None of them may inject a line. */
function checkValue(value: string): void {
  if (notInValues.test(value)) throw new ProtocolError("a header value contains forbidden characters");
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
