/** Bounds of one JSON value. The cost of parsing it depends on these, whatever its length. */
export interface JsonBounds {
  depth: number;
  /** The number of arrays, objects and values in them. */
  values: number;
  /** The number of object members. A new name takes the engine ten times as long as a value. */
  members: number;
}

export type ScanResult = "end" | "more" | keyof JsonBounds;

/** Finds where JSON values end and how large they are, without parsing or validating them. */
export class JsonScanner {
  position = 0;
  #depth = 0;
  #values = 1;
  #members = 0;

  constructor(
    private readonly text: string,
    private readonly bounds: JsonBounds,
  ) {}

  /** Continues at a position with the next value. */
  begin(position: number): void {
    this.position = position;
    this.#depth = 0;
    this.#values = 1;
    this.#members = 0;
  }

  /**
   * Scans about so many characters. Returns "more" if the value continues after them, "end" if it ended before the
   * comma or bracket at `position`, and otherwise the bound that it exceeds.
   */
  scan(characters: number): ScanResult {
    const { text, bounds } = this;
    const until = Math.min(text.length, this.position + characters);
    let at = this.position;
    let depth = this.#depth;
    let values = this.#values;
    let members = this.#members;
    let result: ScanResult = "more";
    for (; at < until; at++) {
      const character = text.charCodeAt(at);
      if (character === quote) at = endOfString(text, at);
      else if (character === comma) {
        if (depth === 0) break;
        values += 1;
      } else if (character === colon) members += 1;
      else if (character === openBracket || character === openBrace) {
        depth += 1;
        values += 1;
        if (depth > bounds.depth) {
          result = "depth";
          break;
        }
      } else if (character === closeBracket || character === closeBrace) {
        if (depth === 0) break;
        depth -= 1;
      }
    }
    if (result === "more" && values > bounds.values) result = "values";
    if (result === "more" && members > bounds.members) result = "members";
    if (result === "more" && (at < until || at >= text.length)) result = "end";
    this.position = Math.min(at, text.length);
    this.#depth = depth;
    this.#values = values;
    this.#members = members;
    return result;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Returns the position of the closing quote of the string that begins at a position, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
