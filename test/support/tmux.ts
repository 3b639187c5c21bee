import { join } from "node:path";
import { findProgram } from "./find-program.ts";
import { started, stopped } from "./left-running.ts";
import type { Environment } from "./server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

export interface TmuxOptions {
  environment: Environment;
  cwd: string;
  width?: number;
  height?: number;
}

/** A terminal for a program: the screen, and keys to press. */
export class Tmux {
  readonly #tmux: string;
  readonly #folder: TemporaryFolder;

  private constructor(folder: TemporaryFolder) {
    this.#tmux = findProgram("tmux");
    this.#folder = folder;
  }

  /** A shell without user settings; its prompt is `$ `. */
  static async start({ environment, cwd, width = 100, height = 40 }: TmuxOptions): Promise<Tmux> {
    const terminal = new Tmux(await temporaryFolder("tmux"));
    const variables = Object.entries({ ...environment, PS1: "$ " }).map(([name, value]) => `${name}=${value}`);
    const size = ["-x", String(width), "-y", String(height)];
    const shell = ["env", "-i", ...variables, "TERM=screen-256color", "bash", "--norc", "--noprofile"];
    started(terminal, "A terminal");
    await terminal.#run("-f", "/dev/null", "new-session", "-d", ...size, "-c", cwd, ...shell);
    await terminal.shows(/^\$ $/m);
    return terminal;
  }

  /** The screen without trailing blank lines; with `colours`, including colour sequences. */
  async screen({ colours = false } = {}): Promise<string> {
    const text = await this.#run("capture-pane", "-p", "-J", ...(colours ? ["-e"] : []));
    return text.replace(/\n+$/, "\n");
  }

  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    let screen = "";
    return until(
      async () => {
        screen = await this.screen();
        return pattern.exec(screen);
      },
      { what: () => `${pattern} on the screen:\n${screen}` },
    );
  }

  /** Types text and presses Enter. */
  async enter(text: string): Promise<void> {
    await this.#run("send-keys", "-l", text);
    await this.press("Enter");
  }

  async press(key: string): Promise<void> {
    await this.#run("send-keys", key);
  }

  async clear(): Promise<void> {
    await this.enter("clear");
    await until(async () => (await this.screen()).trim() === "$", { what: "an empty screen" });
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.#run("kill-server");
    await this.#folder.remove();
  }

  async #run(...command: string[]): Promise<string> {
    const child = Bun.spawn([this.#tmux, "-S", join(this.#folder.path, "socket"), ...command], {
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, complaint, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (status !== 0) throw new Error(`tmux ${command.join(" ")} ended with ${status}: ${complaint}`);
    return output;
  }
}
