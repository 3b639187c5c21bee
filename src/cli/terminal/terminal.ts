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

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The standard streams of a command. */
export interface Streams {
  readonly stdin: { readonly isTTY: boolean; text(): Promise<string> };
  readonly stdout: Output;
  readonly stderr: Output;
}

export const processStreams: Streams = {
  stdin: {
    get isTTY() {
      return process.stdin.isTTY;
    },
    text: () => Bun.stdin.text(),
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
};

/** The input and output of a command: results go to standard output, everything else to the error stream. */
export class Terminal {
  /** Whether prompts are possible: input and output are a terminal. */
  readonly isInteractive: boolean;
  readonly #streams: Streams;
  readonly #hasColour: boolean;

  constructor(environment: Environment, wantsColour: boolean, streams: Streams) {
    this.#streams = streams;
    this.isInteractive = this.hasTypedInput && this.isLive;
    this.#hasColour = wantsColour && !environment.NO_COLOR && environment.TERM !== "dumb";
  }

  /** The width of the terminal; undefined if the output is not a terminal. */
  get width(): number | undefined {
    const { isTTY, columns } = this.#streams.stdout;
    return isTTY ? columns || 80 : undefined;
  }

  /** The width for running text, which is hard to read in long lines. */
  get readingWidth(): number {
    return Math.min(this.width ?? 100, 100);
  }

  /** Whether lines on the error stream can be overwritten. */
  get isLive(): boolean {
    return this.#streams.stderr.isTTY === true;
  }

  /** Overwrites the last line on the error stream. */
  overwrite(line: string): void {
    // A wrapped line could not be overwritten.
    const { stderr } = this.#streams;
    if (this.isLive) stderr.write(`\r\x1b[2K${Bun.sliceAnsi(line, 0, (stderr.columns || 80) - 1)}`);
  }

  /** Whether standard input is typed, not a pipe or a file. */
  get hasTypedInput(): boolean {
    return this.#streams.stdin.isTTY === true;
  }

  /** All of standard input. */
  input(): Promise<string> {
    return this.#streams.stdin.text();
  }

  print(text: string, style?: Style): void {
    this.write(`${style ? this.style(style, text) : text}\n`);
  }

  /** Writes text unchanged; lines include their line ends. */
  write(text: string): void {
    this.#streams.stdout.write(text);
  }

  printJson(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  note(text: string, style?: Style): void {
    this.#streams.stderr.write(`${style ? this.noteStyle(style, text) : text}\n`);
  }

  /** Styles for standard output. */
  style(style: Style, text: string): string {
    return this.#streams.stdout.isTTY ? this.#styled(style, text) : text;
  }

  /** Styles for the error stream. */
  noteStyle(style: Style, text: string): string {
    return this.isLive ? this.#styled(style, text) : text;
  }

  #styled(style: Style, text: string): string {
    if (!this.#hasColour) return text;
    const [on, off] = codes[style];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  }
}
