import type { Environment } from "../../config/config.ts";

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;

/** The output of a command: results go to standard output, everything else to the error stream. */
export class Terminal {
  /** Whether prompts are possible: input and output are a terminal. */
  readonly isInteractive: boolean;
  readonly #hasColour: boolean;

  constructor(environment: Environment, wantsColour: boolean) {
    this.isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
    this.#hasColour = wantsColour && !environment.NO_COLOR && environment.TERM !== "dumb";
  }

  /** The width of the terminal; undefined if the output is not a terminal. */
  get width(): number | undefined {
    return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
  }

  /** The width for running text, which is hard to read in long lines. */
  get readingWidth(): number {
    return Math.min(this.width ?? 100, 100);
  }

  /** Whether lines on the error stream can be overwritten. */
  get isLive(): boolean {
    return process.stderr.isTTY === true;
  }

  print(text: string): void {
    this.write(`${text}\n`);
  }

  /** Writes text unchanged; lines include their line ends. */
  write(text: string): void {
    process.stdout.write(text);
  }

  printJson(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Styles for standard output. */
  style(style: Style, text: string): string {
    return process.stdout.isTTY ? this.#styled(style, text) : text;
  }

  /** Styles for the error stream. */
  noteStyle(style: Style, text: string): string {
    return process.stderr.isTTY ? this.#styled(style, text) : text;
  }

  #styled(style: Style, text: string): string {
    if (!this.#hasColour) return text;
    const [on, off] = codes[style];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  }
}
