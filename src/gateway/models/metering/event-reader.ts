import { decodedBytes, endOfString } from "./json-text.ts";
import { chatTextNames, type ResponseReader, type TextOperation } from "./operations.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** A longer event is not read. The last event of OpenAI's responses repeats the whole output. */
const maxEventLength = 32 * 1024 * 1024;

/** The number of events in which the name of the model is looked for. */
const maxNamingEvents = 5;

/** In UTF-8, decoded as Latin-1. A stream may begin with it. */
const byteOrderMark = "\u00ef\u00bb\u00bf";

/**
 * Matches the begin of a generated text, of an object `usage`, or the type of the last event. It cannot match within a
 * string, where quotes are escaped. An event repeats no text of another one that matches.
 */
function expression(names: readonly string[]): RegExp {
  return new RegExp(`"(?:(usage)"\\s*:\\s*\\{|type"\\s*:\\s*"(message_stop)"|(?:${names.join("|")})"\\s*:\\s*")`, "g");
}

const patterns: Record<TextOperation, RegExp> = {
  "chat/completions": expression(chatTextNames),
  responses: expression(["delta"]),
  messages: expression(["text", "thinking", "partial_json"]),
};

const lastEvents = new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled"]);

/**
 * Reads the usage of a stream of events, which arrives in pieces. Most events are scanned for their text and not parsed.
 */
export class EventReader implements ResponseReader {
  textBytes = 0;
  readonly #pattern: RegExp;
  /** The parts of the line that has not ended. */
  #line: string[] = [];
  #lineLength = 0;
  #data: string | undefined;
  #isFirstLine = true;
  #namingEvents = 0;
  /** Whether the last event was seen, or usage after the last text. */
  #isFinal = false;

  constructor(
    operation: TextOperation,
    private readonly usage: ReportedUsage,
  ) {
    this.#pattern = patterns[operation];
  }

  get isFinal(): boolean {
    return this.#isFinal;
  }

  push(piece: Buffer): void {
    const text = piece.toString("latin1");
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#readLines(this.#line.length === 0 ? text.slice(from, end) : this.#whole(text.slice(from, end)));
      from = end + 1;
    }
    if (from === text.length) return;
    this.#lineLength += text.length - from;
    if (this.#lineLength <= maxEventLength) this.#line.push(text.slice(from));
  }

  /** An event that the end of the stream cuts off counts: the provider has produced it. */
  end(): void {
    this.#readLines(this.#whole(""));
    this.#readLine("");
  }

  #whole(rest: string): string {
    const line = this.#lineLength > maxEventLength ? "" : this.#line.join("") + rest;
    this.#line = [];
    this.#lineLength = 0;
    return line;
  }

  /** A line may end with a carriage return, with or without a line feed. */
  #readLines(line: string): void {
    const end = line.indexOf("\r");
    if (end === -1) this.#readLine(line);
    else if (end === line.length - 1) this.#readLine(line.slice(0, -1));
    else for (const each of line.replace(/\r$/, "").split("\r")) this.#readLine(each);
  }

  #readLine(received: string): void {
    const line = this.#isFirstLine && received.startsWith(byteOrderMark) ? received.slice(3) : received;
    this.#isFirstLine = false;
    if (line === "") {
      if (this.#data !== undefined) this.#readEvent(this.#data);
      this.#data = undefined;
    } else if (line.startsWith("data:")) {
      const data = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    }
  }

  #readEvent(data: string): void {
    if (data === "[DONE]") {
      this.#isFinal = true;
      return;
    }
    let hasUsage = false;
    const pattern = this.#pattern;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(data); match; match = pattern.exec(data)) {
      if (match[1] !== undefined) hasUsage = true;
      else if (match[2] !== undefined) this.#isFinal = true;
      else pattern.lastIndex = this.#readText(data, pattern.lastIndex);
    }
    if (!hasUsage && (this.usage.model !== undefined || this.#namingEvents >= maxNamingEvents)) return;
    this.#namingEvents += 1;
    this.#parse(data, hasUsage);
  }

  #readText(data: string, start: number): number {
    const end = endOfString(data, start);
    const bytes = decodedBytes(data, start, end);
    this.textBytes += bytes;
    if (bytes > 0) this.#isFinal = false;
    return Math.min(end + 1, data.length);
  }

  #parse(data: string, hasUsage: boolean): void {
    let event: unknown;
    try {
      event = JSON.parse(Buffer.from(data, "latin1").toString());
    } catch {
      return;
    }
    this.usage.read(event);
    const { type } = event as { type?: unknown };
    if (lastEvents.has(type as string) || (hasUsage && type !== "message_start")) this.#isFinal = true;
  }
}
