import { unescapePointer } from "./json-pointer.ts";

/** An open array or object that a pointer passes through. */
interface Frame {
  isObject: boolean;
  /** The index of the next item, in an array. */
  index: number;
  /** The pointers that pass through it, by their index in the list. */
  pointers: number[];
  /** The name of the member whose value is next. */
  name: string | undefined;
  /** Members on a pointer's path that have occurred already. */
  seen: Set<string> | undefined;
}

/** Longer names are not on the path of a pointer. */
const maxTokenLength = 1024;

/**
 * Finds the numbers that JSON pointers select in a text that arrives in pieces, in constant memory. If a repeated name
 * makes a pointer select several values, the last one counts. Invalid JSON yields nothing, or the numbers before the
 * error.
 */
export class JsonNumbers {
  readonly values: (number | undefined)[];
  /** A name on a pointer's path was repeated. Another parser may use the first value. */
  hasDuplicates = false;
  readonly #segments: string[][];
  readonly #frames: Frame[] = [];
  /** The depth within a container that no pointer passes through. */
  #skipped = 0;
  #state: "value" | "string" | "escape" | "scalar" = "value";
  /** The string or scalar that is being parsed, if it is needed. */
  #token: string | undefined;
  #hasBegun = false;

  constructor(pointers: readonly string[]) {
    this.#segments = pointers.map((pointer) => pointer.slice(1).split("/").map(unescapePointer));
    this.values = pointers.map(() => undefined);
  }

  push(piece: Buffer): void {
    const text = piece.toString("latin1");
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!;
      switch (this.#state) {
        case "escape":
          this.#add(character);
          this.#state = "string";
          break;
        case "string":
          if (character === '"') this.#endString();
          else {
            this.#add(character);
            if (character === "\\") this.#state = "escape";
          }
          break;
        case "scalar":
          if (!/[\s,\]}]/.test(character)) {
            this.#add(character);
            break;
          }
          this.#endScalar();
          this.#structure(character);
          break;
        default:
          this.#structure(character);
      }
    }
  }

  /** The text may end with a number. */
  end(): void {
    if (this.#state === "scalar") this.#endScalar();
  }

  #structure(character: string): void {
    const frame = this.#frames.at(-1);
    switch (character) {
      case "{":
      case "[":
        this.#open(character === "{");
        return;
      case "}":
      case "]":
        if (this.#skipped > 0) this.#skipped -= 1;
        else this.#frames.pop();
        return;
      case ",":
        if (this.#skipped > 0 || !frame) return;
        frame.index += 1;
        frame.name = undefined;
        return;
      case '"':
        this.#state = "string";
        this.#token = this.#skipped === 0 && frame?.isObject && frame.name === undefined ? "" : undefined;
        return;
      case ":":
      case " ":
      case "\n":
      case "\r":
      case "\t":
        return;
      default:
        this.#state = "scalar";
        this.#token = this.#skipped === 0 ? character : undefined;
    }
  }

  #add(character: string): void {
    if (this.#token !== undefined)
      this.#token = this.#token.length < maxTokenLength ? this.#token + character : undefined;
  }

  #open(isObject: boolean): void {
    if (this.#skipped > 0) {
      this.#skipped += 1;
      return;
    }
    const isRoot = this.#frames.length === 0 && !this.#hasBegun;
    this.#hasBegun = true;
    const pointers = isRoot
      ? this.#segments.map((_, at) => at)
      : this.#leadingOn((segments, depth) => segments.length > depth);
    if (pointers.length === 0) this.#skipped = 1;
    else this.#frames.push({ isObject, index: 0, pointers, name: undefined, seen: undefined });
  }

  /** Returns the pointers of the current frame that select or pass through the next value. */
  #leadingOn(condition: (segments: string[], depth: number) => boolean): number[] {
    const frame = this.#frames.at(-1);
    if (!frame) return [];
    const depth = this.#frames.length;
    const name = frame.isObject ? frame.name : String(frame.index);
    return frame.pointers.filter((at) => {
      const segments = this.#segments[at]!;
      return segments[depth - 1] === name && condition(segments, depth);
    });
  }

  #endString(): void {
    this.#state = "value";
    const frame = this.#frames.at(-1);
    if (this.#token === undefined || !frame) return;
    const name = decoded(this.#token);
    frame.name = name;
    this.#token = undefined;
    const depth = this.#frames.length;
    if (!frame.pointers.some((at) => this.#segments[at]![depth - 1] === name)) return;
    frame.seen ??= new Set();
    if (frame.seen.has(name)) this.hasDuplicates = true;
    frame.seen.add(name);
  }

  #endScalar(): void {
    this.#state = "value";
    const value = this.#token === undefined || this.#token === "" ? Number.NaN : Number(this.#token);
    this.#token = undefined;
    if (!Number.isFinite(value)) return;
    for (const at of this.#leadingOn((segments, depth) => segments.length === depth)) this.values[at] = value;
  }
}

/** Decodes a name without its quotes; each character is a byte of UTF-8. */
function decoded(name: string): string {
  if (!name.includes("\\") && !/[^\0-\x7f]/.test(name)) return name;
  try {
    return JSON.parse(`"${Buffer.from(name, "latin1").toString()}"`) as string;
  } catch {
    return name;
  }
}
