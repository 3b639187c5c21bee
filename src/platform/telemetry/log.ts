export type LogLevel = "debug" | "info" | "warn" | "error";

/** Receives complete lines: stdout, a file, or an array in tests. */
export interface LogSink {
  write(text: string): void;
}

export const levels: LogLevel[] = ["debug", "info", "warn", "error"];
const infoLevel = levels.indexOf("info");

/**
 * The format of generated keys and tokens. Fields are redacted by their schema; this pattern catches the rest. The
 * lookbehind tries each word once instead of at each of its letters: without it, a path of 15,000 letters took 1.2 s.
 */
const generatedSecret = /(?<![\w-])[\w-]+_[0-9a-f]{32}_[0-9a-f]{8}/g;

const redacted = "[redacted]";

export function redactText(text: string): string {
  return text.includes("_") ? text.replace(generatedSecret, redacted) : text;
}

/** Redacts every string and member name in a value. */
export function redactTexts(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redactTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redactText(name), redactTexts(member)]));
}

/**
 * Segments that are too short for a key, and names and ids. Other segments may be a key that was pasted into the path.
 */
const plainPath = /^(?:\/(?:[^/]{0,15}|[a-z0-9-]{16,128}|[a-z]{3,5}_[0-9A-Za-z]{24})(?=\/|$))*$/;

export function redactPath(path: string): string {
  if (plainPath.test(path)) return path;
  return path.replace(/\/[^/]*/g, (segment) => (plainPath.test(segment) ? segment : `/${redacted}`));
}

/** The access log entry of a request. */
interface RequestReport {
  time: number;
  requestId: string;
  status: number;
  milliseconds: number;
  traceId?: string | undefined;
  /** The fields that many requests share. */
  origin: RequestOrigin;
}

/** Returns the same object for the same origin, so that its part of the line is serialized once. */
export interface RequestOrigin {
  readonly method: string;
  readonly path: string;
  readonly operation: string | undefined;
  readonly caller: string | undefined;
  readonly account: string | undefined;
  /** Set for gateway requests. */
  readonly deployment?: string;
  text?: string;
}

const maxLines = 256;

/** One line per event, written in batches: a write per request costs more than the request. */
export class Log {
  /** Requests are formatted when they are flushed: formatting many in a row takes half the time. */
  #waiting: (string | RequestReport)[] = [];
  #timer: Timer | undefined;
  #lastTime = Number.NaN;
  #lastIsoTime = "";
  readonly #threshold: number;

  constructor(private readonly options: { level: LogLevel; readable: boolean; sink: LogSink }) {
    this.#threshold = levels.indexOf(options.level);
  }

  debug(message: string, fields?: Record<string, unknown>): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: Record<string, unknown>): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: Record<string, unknown>): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: Record<string, unknown>): void {
    this.#log("error", message, fields);
  }

  /** The most frequent line by far. Formatting it by hand costs a fraction of `info`. */
  request(report: RequestReport): void {
    if (this.#threshold > infoLevel) return;
    if (this.options.readable) {
      const { requestId, status, traceId } = report;
      const { text: _, ...fields } = report.origin;
      this.#log("info", "request", { requestId, status, ms: roundedMs(report), traceId, ...fields });
      return;
    }
    this.#add(report);
  }

  logs(level: LogLevel): boolean {
    return levels.indexOf(level) >= this.#threshold;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    let text = "";
    for (const line of waiting) text += typeof line === "string" ? line : this.#requestLine(line);
    this.options.sink.write(text);
  }

  #log(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
    if (!this.logs(level)) return;
    const line = this.options.readable ? readableLine : jsonLine;
    this.#add(line(level, message, fields));
    if (level === "error") this.flush();
  }

  #requestLine(report: RequestReport): string {
    const { time, origin, requestId, status, traceId } = report;
    const trace = traceId === undefined ? "" : `"traceId":"${traceId}",`;
    origin.text ??= JSON.stringify(origin).slice(1);
    return `{"time":"${this.#isoTime(time)}","level":"info","msg":"request","requestId":"${requestId}","status":${status},"ms":${roundedMs(report)},${trace}${origin.text}\n`;
  }

  #add(line: string | RequestReport): void {
    this.#waiting.push(line);
    if (this.#waiting.length >= maxLines) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), 20);
  }

  /** Many requests share a millisecond. */
  #isoTime(time: number): string {
    if (time !== this.#lastTime) {
      this.#lastTime = time;
      this.#lastIsoTime = new Date(time).toISOString();
    }
    return this.#lastIsoTime;
  }
}

function roundedMs({ milliseconds }: RequestReport): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Formatted by hand: spreading the fields into one object costs twice as much. */
function jsonLine(level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const rest = JSON.stringify(plain(fields)).slice(1);
  const comma = rest === "}" ? "" : ",";
  return `{"time":"${new Date().toISOString()}","level":"${level}","msg":${JSON.stringify(message)}${comma}${rest}\n`;
}

const colours: Record<LogLevel, string> = { debug: "\x1b[90m", info: "\x1b[36m", warn: "\x1b[33m", error: "\x1b[31m" };

function readableLine(level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const details = Object.entries(plain(fields))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `\x1b[90m${name}=\x1b[0m${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  return `${new Date().toTimeString().slice(0, 8)} ${colours[level]}${level.padEnd(5)}\x1b[0m ${message} ${details}\n`;
}

/** Formats errors with their causes, and redacts text in the format of a key. */
function plain(fields: Record<string, unknown>): Record<string, unknown> {
  if (!("error" in fields)) return fields;
  return { ...fields, error: redactText(describe(fields.error)) };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${describe(error.cause)}`;
}
