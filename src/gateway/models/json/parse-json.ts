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

/** Deeper values are rejected, like by the parsers of providers. */
const maxDepth = 200;
/** Values are kept in objects of about 100 bytes. */
const maxKept = 200_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/**
 * Parses JSON strictly (RFC 8259), so that every parser reads the same, and keeps the positions of values in the walked
 * parts. Throws an InvalidJson.
 */
export function parseJson(bytes: Uint8Array, walked: WalkedParts): JsonValue {
  if (!isUtf8(bytes)) throw new InvalidJson("is not UTF-8");
  return new Parser(bytes, walked).parse();
}

class Parser {
  #at = 0;
  #kept = 0;
  readonly #length: number;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly walked: WalkedParts,
  ) {
    this.#length = bytes.length;
  }

  parse(): JsonValue {
    this.#space();
    const value = this.#value(true, 0);
    this.#space();
    if (this.#at < this.#length) throw this.#error();
    return value;
  }

  #error(): InvalidJson {
    return new InvalidJson(`is not JSON at byte ${this.#at}`);
  }

  #space(): void {
    const { bytes } = this;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at += 1;
      else return;
    }
  }

  #value(isKept: boolean, depth: number): JsonValue {
    const start = this.#at;
    switch (this.bytes[start]) {
      case 0x7b:
        return this.#object(isKept, depth + 1);
      case 0x5b:
        return this.#array(isKept, depth + 1);
      case quote:
        this.#at += 1;
        this.#string();
        return this.#scalar("string", start);
      case 0x74:
        return this.#literal("true");
      case 0x66:
        return this.#literal("false");
      case 0x6e:
        return this.#literal("null");
      default:
        this.#number();
        return this.#scalar("number", start);
    }
  }

  #scalar(kind: JsonKind, start: number): JsonValue {
    return { kind, start, end: this.#at, members: undefined, items: undefined, count: 0 };
  }

  #literal(text: "true" | "false" | "null"): JsonValue {
    const start = this.#at;
    for (let index = 0; index < text.length; index++)
      if (this.bytes[start + index] !== text.charCodeAt(index)) throw this.#error();
    this.#at += text.length;
    return this.#scalar(text, start);
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
    }
    if (this.#at === start) throw this.#error();
  }

  /** Continues after the closing quote. Returns whether the text has escapes. */
  #string(): boolean {
    const { bytes } = this;
    const length = this.#length;
    let at = this.#at;
    let hasEscapes = false;
    while (at < length) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.#at = at + 1;
        return hasEscapes;
      }
      if (byte === backslash) {
        hasEscapes = true;
        at = this.#escape(at + 1);
      } else if (byte < 0x20) break;
      else at += 1;
    }
    this.#at = at;
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

  #name(): JsonName {
    if (this.bytes[this.#at] !== quote) throw this.#error();
    this.#at += 1;
    const start = this.#at;
    const hasEscapes = this.#string();
    return nameOf(this.bytes, start, this.#at - 1, hasEscapes);
  }

  #object(isKept: boolean, depth: number): JsonValue {
    if (depth > maxDepth) throw new InvalidJson(`has more than ${maxDepth} levels`);
    const { bytes } = this;
    const start = this.#at;
    const members: JsonMember[] | undefined = isKept ? [] : undefined;
    let count = 0;
    this.#at += 1;
    this.#space();
    if (bytes[this.#at] === 0x7d) this.#at += 1;
    else
      for (;;) {
        let isChildKept = false;
        if (members) {
          const nameStart = this.#at;
          const name = this.#name();
          isChildKept = depth === 1 ? this.walked.members.has(name.text) : !this.walked.free.has(name.text);
          this.#colon();
          members.push({ start: nameStart, name, value: this.#value(isChildKept, depth) });
          this.#keep();
        } else {
          if (bytes[this.#at] !== quote) throw this.#error();
          this.#at += 1;
          this.#string();
          this.#colon();
          this.#value(false, depth);
        }
        count += 1;
        this.#space();
        const byte = bytes[this.#at];
        if (byte !== comma && byte !== 0x7d) throw this.#error();
        this.#at += 1;
        if (byte === 0x7d) break;
        this.#space();
      }
    return { kind: "object", start, end: this.#at, members, items: undefined, count };
  }

  #colon(): void {
    this.#space();
    if (this.bytes[this.#at] !== colon) throw this.#error();
    this.#at += 1;
    this.#space();
  }

  #array(isKept: boolean, depth: number): JsonValue {
    if (depth > maxDepth) throw new InvalidJson(`has more than ${maxDepth} levels`);
    const { bytes } = this;
    const start = this.#at;
    const items: JsonValue[] | undefined = isKept ? [] : undefined;
    let count = 0;
    this.#at += 1;
    this.#space();
    if (bytes[this.#at] === 0x5d) this.#at += 1;
    else
      for (;;) {
        const value = this.#value(isKept, depth);
        if (items && (value.kind === "object" || value.kind === "array")) {
          items.push(value);
          this.#keep();
        }
        count += 1;
        this.#space();
        const byte = bytes[this.#at];
        if (byte !== comma && byte !== 0x5d) throw this.#error();
        this.#at += 1;
        if (byte === 0x5d) break;
        this.#space();
      }
    return { kind: "array", start, end: this.#at, members: undefined, items, count };
  }

  #keep(): void {
    this.#kept += 1;
    if (this.#kept > maxKept) throw new InvalidJson(`has more than ${maxKept} values`);
  }
}

const escapes = new Set([quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= zero && byte <= nine) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
