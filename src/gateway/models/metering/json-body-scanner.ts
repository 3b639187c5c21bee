import { decodedBytes, endOfString, escapesBefore } from "./json-text.ts";

interface JsonBodyHandler {
  /** The member of the root with the generated text. Undefined if there is none. */
  readonly textIn: string | undefined;
  /** The names of the strings in it that are counted. */
  readonly textNames: ReadonlySet<string>;
  /** Gets the JSON text of a member of the root that is in `capturedNames`, decoded as Latin-1. */
  member(name: string, json: string): void;
  /** Gets the length of a generated text in UTF-8. */
  text(bytes: number): void;
  /** Gets the `type` of each object in the array `textIn`. */
  itemType(type: string): void;
}

const capturedNames = new Set(["usage", "model", "service_tier"]);

/** A longer value is not captured. */
const maxCaptured = 1024 * 1024;
const maxDepth = 1000;

/**
 * Scans a JSON object that arrives in pieces, without parsing it. Only members of the root are captured: a tool's input
 * may contain an object with any names.
 */
export class JsonBodyScanner {
  /** For each open container: whether it is an object. */
  readonly #objects: boolean[] = [];
  /** Within a string: its parts if they are needed, or else null. */
  #string: string[] | null | undefined;
  /** Whether the last piece ended with a backslash that escapes the next character. */
  #isEscaped = false;
  #isInNumbers = false;
  #expectsName = false;
  /** The name of the member whose value is next, in the innermost object. */
  #name = "";
  #rootName = "";
  #captured: string[] | undefined;
  #capturedLength = 0;
  #isOver = false;

  constructor(private readonly handler: JsonBodyHandler) {}

  push(piece: Buffer): void {
    if (this.#isOver) return;
    const text = piece.toString("latin1");
    let capturedFrom = 0;
    let at = this.#string === undefined ? 0 : this.#readString(text, 0);
    if (this.#isInNumbers) at = this.#skipNumbers(text, at);
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      switch (character) {
        case quote:
          this.#string = this.#isStringNeeded() ? [] : null;
          at = this.#readString(text, at + 1) - 1;
          break;
        case openBrace:
        case openBracket:
          this.#objects.push(character === openBrace);
          this.#expectsName = character === openBrace;
          if (this.#objects.length > maxDepth) this.#isOver = true;
          else if (character === openBracket && this.#name === "embedding" && this.handler.textIn === undefined)
            at = this.#skipNumbers(text, at + 1) - 1;
          break;
        case colon:
          if (this.#objects.length === 1 && capturedNames.has(this.#name)) {
            this.#captured = [];
            this.#capturedLength = 0;
            capturedFrom = at + 1;
          }
          break;
        case comma:
          if (this.#objects.length === 1) this.#endMember(text, capturedFrom, at);
          this.#expectsName = this.#objects.at(-1) === true;
          break;
        case closeBrace:
        case closeBracket:
          if (this.#objects.length === 1) this.#endMember(text, capturedFrom, at);
          this.#objects.pop();
          this.#expectsName = false;
          if (this.#objects.length === 0) this.#isOver = true;
          break;
      }
      if (this.#isOver) return;
    }
    if (this.#captured) this.#capture(text, capturedFrom, text.length);
  }

  /** A body that is cut off may contain a part of a text. */
  end(): void {
    if (!this.#string || this.#isOver) return;
    const string = this.#string.join("");
    if (this.#isText()) this.handler.text(decodedBytes(string, 0, string.length));
    this.#isOver = true;
  }

  #isStringNeeded(): boolean {
    return this.#expectsName || this.#isText() || this.#isItemType();
  }

  #isText(): boolean {
    const { textIn, textNames } = this.handler;
    return !this.#expectsName && this.#rootName === textIn && textNames.has(this.#name);
  }

  #isItemType(): boolean {
    return this.#objects.length === 3 && this.#name === "type" && this.#rootName === this.handler.textIn;
  }

  /** Returns the position after the closing quote, or the end of the text. */
  #readString(text: string, start: number): number {
    // An escaped character at the begin of the piece.
    const from = this.#isEscaped ? Math.min(start + 1, text.length) : start;
    if (from > start) this.#isEscaped = false;
    const end = endOfString(text, from);
    if (this.#string && end > start) this.#string.push(text.slice(start, end));
    if (end < text.length) {
      this.#endString();
      return end + 1;
    }
    if (escapesBefore(text, end, from) % 2 === 1) this.#isEscaped = true;
    return text.length;
  }

  #endString(): void {
    const parts = this.#string;
    this.#string = undefined;
    if (!parts) return;
    const string = parts.length === 1 ? parts[0]! : parts.join("");
    if (this.#expectsName) {
      this.#name = string;
      this.#expectsName = false;
      if (this.#objects.length === 1) this.#rootName = string;
    } else if (this.#isText()) this.handler.text(decodedBytes(string, 0, string.length));
    else this.handler.itemType(string);
  }

  /** Skips an array that contains numbers. */
  #skipNumbers(text: string, from: number): number {
    const end = text.indexOf("]", from);
    this.#isInNumbers = end === -1;
    return end === -1 ? text.length : end;
  }

  #endMember(text: string, from: number, to: number): void {
    if (!this.#captured) return;
    this.#capture(text, from, to);
    if (this.#capturedLength <= maxCaptured) this.handler.member(this.#rootName, this.#captured.join(""));
    this.#captured = undefined;
  }

  #capture(text: string, from: number, to: number): void {
    this.#capturedLength += to - from;
    if (this.#capturedLength <= maxCaptured) this.#captured!.push(text.slice(from, to));
  }
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
