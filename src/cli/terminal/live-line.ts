import type { Terminal } from "./terminal.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;
const barCells = 24;

/** The last line of the error stream, which is overwritten as work progresses. Writes nothing without a terminal. */
export class LiveLine {
  #timer: ReturnType<typeof setInterval> | undefined;
  #frame = 0;
  #text = "";

  constructor(private readonly terminal: Terminal) {}

  /** With a spinner, which turns until the line is overwritten or removed. */
  spin(text: string): void {
    this.#text = text;
    if (!this.terminal.isLive) return;
    this.#timer ??= setInterval(() => this.#turn(), frameMs);
    this.#turn();
  }

  bar(text: string, done: number, total: number): void {
    this.#stopTurning();
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    const full = Math.round(share * barCells);
    const bar = `${"█".repeat(full)}${this.terminal.noteStyle("dim", "░".repeat(barCells - full))}`;
    this.terminal.overwrite(`  ${bar} ${text}`);
  }

  remove(): void {
    this.#stopTurning();
    this.terminal.overwrite("");
  }

  #turn(): void {
    this.#frame = (this.#frame + 1) % frames.length;
    this.terminal.overwrite(`${this.terminal.noteStyle("cyan", frames[this.#frame]!)} ${this.#text}`);
  }

  #stopTurning(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
