import { isUtf8 } from "node:buffer";
import { type JsonName, nameOf } from "./json-names.ts";

type JsonKind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/** A value at `bytes[start]` to `bytes[end - 1]`. */
export interface JsonValue {
  kind: JsonKind;
  start: number;
  end: number;
  /** Of an object that is walked. */
  members: JsonMember[] | undefined;
  /** The objects and arrays of an array that is walked. */
  items: JsonValue[] | undefined;
  /** The number of members or items. */
  count: number;
}

export interface JsonMember {
  /** The position of its name. */
  start: number;
  name: JsonName;
  value: JsonValue;
}

/** The body is not JSON, or exceeds a bound. */
export class InvalidJson extends Error {}

/** The parts of a body whose members are kept and checked. */
export interface WalkedParts {
  /** Members of the outermost object that are walked. */
  readonly members: ReadonlySet<string>;
  /** Members below them that are not walked: their names are the caller's own, such as those of a JSON Schema. */
  readonly free: ReadonlySet<string>;
}

/** Called while a body is parsed. What they throw ends it. */
export interface ParseListener {
  /** A member of the outermost object is complete. */
  member?(member: JsonMember): void;
  /** The members of a walked object are complete. */
  object?(members: readonly JsonMember[]): void;
  /** Memory is needed for values that are kept. */
  reserve?(bytes: number): void;
}

/** Deeper values are rejected, like by the parsers of providers. */
const maxDepth = 200;
const maxKept = 100_000;
/** What a value that is kept takes, with its name: measured, and rounded up. */
const keptBytes = 256;
/** Memory is reserved for this number of values at a time. */
const keptStep = 1_000;
/** The members of an object that is walked, each of which is compared with the others. */
const maxMembers = 1_000;
/** A name, a number, or the blanks between two values. A string that is a value may have any length. */
const maxTokenBytes = 4_096;
/** The encoding is checked faster than the rest. */
const bytesPerCheck = 1024 * 1024;
const bytesPerStep = 32 * 1024;
const valuesPerStep = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const openObject = 0x7b;
const closeObject = 0x7d;
const openArray = 0x5b;
const closeArray = 0x5d;

/** An object or array that is not complete. */
interface Open {
  readonly value: JsonValue;
  /** Of the member whose value follows. */
  start: number;
  name: JsonName | undefined;
}

/**
 * Parses JSON strictly (RFC 8259), so that every parser reads the same, and keeps the positions of values in the walked
 * parts. Throws an InvalidJson. Each step takes at most about a millisecond.
 */
export function* parseJson(
  bytes: Uint8Array,
  walked: WalkedParts,
  listener: ParseListener = {},
): Generator<void, JsonValue> {
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + bytesPerCheck, bytes.length);
    // A character has at most three more bytes.
    for (let back = 0; back < 3 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80; back++) end -= 1;
    if (!isUtf8(bytes.subarray(start, end))) throw new InvalidJson("is not UTF-8");
    if (end < bytes.length) yield;
    start = end;
  }
  return yield* new Parser(bytes, walked, listener).parse();
}

class Parser {
  #at = 0;
  #kept = 0;
  /** The containers of the value that follows, the outermost first. */
  readonly #open: Open[] = [];
  readonly #length: number;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly walked: WalkedParts,
    private readonly listener: ParseListener,
  ) {
    this.#length = bytes.length;
  }

  *parse(): Generator<void, JsonValue> {
    const { bytes } = this;
    let nextStep = bytesPerStep;
    let values = 0;
    let isKept = true;
    this.#space();
    for (;;) {
      let value: JsonValue | undefined;
      const start = this.#at;
      const first = bytes[start];
      if (first === quote) {
        this.#at += 1;
        while (!this.#stringEnds(this.#at + bytesPerStep)) yield;
        value = scalar("string", start, this.#at);
      } else if (first === openObject || first === openArray) value = this.#begin(first, isKept);
      else value = this.#literal(first, start);
      values += 1;
      if (this.#at >= nextStep || values % valuesPerStep === 0) {
        yield;
        nextStep = this.#at + bytesPerStep;
      }
      // Undefined if it is an object or array with content.
      while (value) {
        const parent = this.#open.at(-1);
        this.#space();
        if (!parent) {
          if (this.#at < this.#length) throw this.#error();
          return value;
        }
        this.#add(parent, value);
        const isObject = parent.value.kind === "object";
        const byte = bytes[this.#at];
        if (byte !== comma && byte !== (isObject ? closeObject : closeArray)) throw this.#error();
        this.#at += 1;
        value = undefined;
        if (byte !== comma) {
          this.#open.pop();
          value = this.#ended(parent.value);
        } else this.#space();
      }
      isKept = this.#isNextKept();
    }
  }

  #error(): InvalidJson {
    return new InvalidJson(`is not JSON at byte ${this.#at}`);
  }

  #space(): void {
    const { bytes } = this;
    const start = this.#at;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at += 1;
      else break;
      if (this.#at - start > maxTokenBytes) throw new InvalidJson(`has more than ${maxTokenBytes} blanks in a row`);
    }
  }

  /** Begins an object or array. Returns it if it is empty. */
  #begin(first: number, isKept: boolean): JsonValue | undefined {
    if (this.#open.length >= maxDepth) throw new InvalidJson(`has more than ${maxDepth} levels`);
    const isObject = first === openObject;
    const value: JsonValue = {
      kind: isObject ? "object" : "array",
      start: this.#at,
      end: this.#at,
      members: isKept && isObject ? [] : undefined,
      items: isKept && !isObject ? [] : undefined,
      count: 0,
    };
    this.#at += 1;
    this.#space();
    if (this.bytes[this.#at] === (isObject ? closeObject : closeArray)) {
      this.#at += 1;
      return this.#ended(value);
    }
    this.#open.push({ value, start: 0, name: undefined });
    return undefined;
  }

  #ended(value: JsonValue): JsonValue {
    value.end = this.#at;
    if (value.members) this.listener.object?.(value.members);
    return value;
  }

  /** Continues at the next value of the innermost container, after its name. Returns whether its content is kept. */
  #isNextKept(): boolean {
    const open = this.#open.at(-1)!;
    const { members, items, kind } = open.value;
    if (kind === "array") return items !== undefined;
    open.start = this.#at;
    const hasEscapes = this.#name();
    const end = this.#at - 1;
    this.#space();
    if (this.bytes[this.#at] !== colon) throw this.#error();
    this.#at += 1;
    this.#space();
    if (!members) return false;
    const name = nameOf(this.bytes, open.start + 1, end, hasEscapes);
    open.name = name;
    return this.#open.length === 1 ? this.walked.members.has(name.text) : !this.walked.free.has(name.text);
  }

  #add({ value: parent, start, name }: Open, value: JsonValue): void {
    parent.count += 1;
    if (parent.members) {
      if (parent.members.length >= maxMembers)
        throw new InvalidJson(`has an object with more than ${maxMembers} members`);
      const member = { start, name: name!, value };
      parent.members.push(member);
      this.#keep();
      if (this.#open.length === 1) this.listener.member?.(member);
    } else if (parent.items && (value.kind === "object" || value.kind === "array")) {
      parent.items.push(value);
      this.#keep();
    }
  }

  #keep(): void {
    if (this.#kept % keptStep === 0 && this.#kept > 0) this.listener.reserve?.(keptStep * keptBytes);
    this.#kept += 1;
    if (this.#kept > maxKept) throw new InvalidJson(`has more than ${maxKept} values`);
  }

  #literal(first: number | undefined, start: number): JsonValue {
    const text = first === 0x74 ? "true" : first === 0x66 ? "false" : first === 0x6e ? "null" : undefined;
    if (text === undefined) {
      this.#number();
      return scalar("number", start, this.#at);
    }
    for (let index = 0; index < text.length; index++)
      if (this.bytes[start + index] !== text.charCodeAt(index)) throw this.#error();
    this.#at += text.length;
    return scalar(text, start, this.#at);
  }

  #number(): void {
    const { bytes } = this;
    if (bytes[this.#at] === minus) this.#at += 1;
    if (bytes[this.#at] === zero) this.#at += 1;
    else this.#digits();
    if (bytes[this.#at] === 0x2e) {
      this.#at += 1;
      this.#digits();
    }
    if (bytes[this.#at] === 0x65 || bytes[this.#at] === 0x45) {
      this.#at += 1;
      if (bytes[this.#at] === minus || bytes[this.#at] === 0x2b) this.#at += 1;
      this.#digits();
    }
  }

  #digits(): void {
    const start = this.#at;
    let byte = this.bytes[this.#at];
    while (byte !== undefined && byte >= zero && byte <= nine) {
      this.#at += 1;
      byte = this.bytes[this.#at];
      if (this.#at - start > maxTokenBytes) throw new InvalidJson(`has a number of more than ${maxTokenBytes} digits`);
    }
    if (this.#at === start) throw this.#error();
  }

  /** Returns whether the name has escapes. */
  #name(): boolean {
    if (this.bytes[this.#at] !== quote) throw this.#error();
    this.#at += 1;
    this.#hasEscapes = false;
    if (!this.#stringEnds(this.#at + maxTokenBytes))
      throw new InvalidJson(`has a name of more than ${maxTokenBytes} bytes`);
    return this.#hasEscapes;
  }

  #hasEscapes = false;

  /** Continues a string after its closing quote, or at the first character that begins at `limit` or later. */
  #stringEnds(limit: number): boolean {
    const { bytes } = this;
    const end = Math.min(limit, this.#length);
    let at = this.#at;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.#at = at + 1;
        return true;
      }
      if (byte === backslash) {
        this.#hasEscapes = true;
        at = this.#escape(at + 1);
      } else if (byte < 0x20) break;
      else at += 1;
    }
    this.#at = at;
    if (at >= limit && at < this.#length) return false;
    throw this.#error();
  }

  #escape(at: number): number {
    const byte = this.bytes[at];
    if (byte === 0x75) {
      for (let index = at + 1; index < at + 5; index++) if (!isHex(this.bytes[index])) throw this.#error();
      return at + 5;
    }
    if (byte === undefined || !escapes.has(byte)) throw this.#error();
    return at + 1;
  }
}

function scalar(kind: JsonKind, start: number, end: number): JsonValue {
  return { kind, start, end, members: undefined, items: undefined, count: 0 };
}

const escapes = new Set([quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= zero && byte <= nine) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
