import type { BuildMessage } from "../../core/artifact/build-report.ts";

export interface Position {
  line: number;
  column: number;
}

/** The position of errors about a whole file. */
export const fileStart: Position = { line: 1, column: 1 };

/** More would not be read, and a hostile project could cause millions. */
const max = 100;

/** The errors and warnings of a build, without duplicates. */
export class Findings {
  readonly #errors = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #settled = new Set<string>();

  error(file: string, position: Position, message: string): void {
    if (this.isFull || this.#settled.has(placeOf(file, position))) return;
    this.#errors.add(JSON.stringify({ file, ...position, message }));
  }

  /** Adds an error that makes the value unknown: later errors at the same place are dropped. */
  unresolved(file: string, position: Position, message: string): void {
    if (!this.isFull) this.#errors.add(JSON.stringify({ file, ...position, message }));
    this.#settled.add(placeOf(file, position));
  }

  warning(file: string, position: Position, message: string): void {
    if (!this.hasAllWarnings) this.#warnings.add(JSON.stringify({ file, ...position, message }));
  }

  get hasErrors(): boolean {
    return this.#errors.size > 0;
  }

  /** True once further errors are dropped, so that callers can skip the position lookup. */
  get isFull(): boolean {
    return this.#errors.size >= max;
  }

  get hasAllWarnings(): boolean {
    return this.#warnings.size >= max;
  }

  get errors(): BuildMessage[] {
    return inOrder(this.#errors);
  }

  get warnings(): BuildMessage[] {
    return inOrder(this.#warnings);
  }
}

function placeOf(file: string, { line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function inOrder(texts: Set<string>): BuildMessage[] {
  const messages = [...texts].map((text): BuildMessage => JSON.parse(text));
  return messages.sort((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
