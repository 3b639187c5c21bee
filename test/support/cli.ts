import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
// Its process uses the working directory of when it was loaded, which must not be the folder of a command.
import "esbuild";
import { run } from "../../src/cli/run.ts";
import { started, stopped } from "./left-running.ts";
import { killOnExit } from "./on-exit.ts";
import { program } from "./run-folder.ts";
import { adminToken, type Environment } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";
import { within } from "./tollgate-process.ts";

/** Shorter than a test's timeout, so that the error contains the output. */
const endWithinMs = patiently(100_000);
const outputWithinMs = patiently(20_000);

/** Installs `tollgate` as a program in a folder below `folder`. Returns that folder, for the PATH. */
export async function installProgram(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "tollgate"), `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  await chmod(join(bin, "tollgate"), 0o755);
  return bin;
}

export interface CliOptions {
  stdin?: string;
  environment?: Environment;
  cwd?: string;
}

export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** The program in a pipe, like in a script: in a separate folder, with an empty environment. */
export class Cli {
  readonly #folder: TemporaryFolder;
  readonly #server: { readonly url: string };
  readonly #command: string[] | undefined;

  /** With a `command`, such as that of a release, each command is a process of it. */
  constructor(folder: TemporaryFolder, server: { readonly url: string }, command?: string[]) {
    this.#folder = folder;
    this.#server = server;
    this.#command = command;
  }

  get folder(): string {
    return this.#folder.path;
  }

  /** The environment variables of the admin. */
  get environment(): Environment {
    return { ...this.anonymous, TOLLGATE_URL: this.#server.url, TOLLGATE_TOKEN: adminToken };
  }

  get anonymous(): Environment {
    return { PATH: process.env.PATH!, HOME: this.folder, XDG_CONFIG_HOME: join(this.folder, "config") };
  }

  /** The real program. */
  start(words: string[], { environment = this.environment, cwd = this.folder }: CliOptions = {}) {
    const child = Bun.spawn([...(this.#command ?? program), ...words], {
      cwd,
      env: environment,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    const watch = killOnExit(child.pid);
    started(child, `The process \`tollgate ${words.join(" ")}\``);
    child.exited.then(() => {
      watch.release();
      stopped(child);
    });
    return child;
  }

  /**
   * Runs a command in this process, which takes a tenth of the CPU time of another. Words are separated by spaces; pass an
   * array for words that contain spaces.
   */
  async run(words: string | string[], options: CliOptions = {}): Promise<CliResult> {
    if (this.#command !== undefined) return this.runProcess(words, options);
    const { stdin = "", environment = this.environment, cwd = this.folder } = options;
    const result = { status: 0, stdout: "", stderr: "" };
    const into = (stream: "stdout" | "stderr") => ({
      write: (text: string) => {
        result[stream] += text;
      },
    });
    const input = { isTTY: false, text: async () => stdin };
    const leave = enter(cwd);
    const listeners = process.listenerCount("SIGINT");
    try {
      const running = run(wordsOf(words), environment, {
        stdin: input,
        stdout: into("stdout"),
        stderr: into("stderr"),
      });
      if (!(await within(endWithinMs, running)))
        throw new Error(`tollgate ${words} did not end within ${endWithinMs} ms: ${result.stdout}${result.stderr}`);
      if (process.listenerCount("SIGINT") > listeners)
        throw new Error(`tollgate ${words} handles signals: use \`runProcess\`.`);
      return { ...result, status: await running };
    } finally {
      leave();
    }
  }

  /** Runs the real program: for what depends on the process, such as exits, pipes and variables of the runtime. */
  async runProcess(words: string | string[], options: CliOptions = {}): Promise<CliResult> {
    const child = this.start(wordsOf(words), options);
    child.stdin.write(options.stdin ?? "");
    // A command that does not read its input may have ended.
    await Promise.resolve(child.stdin.end()).catch(() => {});
    const tooLate = setTimeout(() => child.kill("SIGKILL"), endWithinMs);
    const output = Promise.all([child.stdout.text(), child.stderr.text()]);
    const status = await child.exited;
    clearTimeout(tooLate);
    // A process that the command started may have its output too.
    if (!(await within(outputWithinMs, output)))
      throw new Error(`tollgate ${words} ended with ${status}, and its output did not end.`);
    const [stdout, stderr] = await output;
    if (child.signalCode === "SIGKILL")
      throw new Error(`tollgate ${words} did not end within ${endWithinMs} ms: ${stdout}${stderr}`);
    return { status, stdout, stderr };
  }

  /** The output with --json. Throws if the command fails. */
  async json<Result>(words: string | string[], options: CliOptions = {}): Promise<Result> {
    const { status, stdout, stderr } = await this.run([...wordsOf(words), "--json"], options);
    if (status !== 0) throw new Error(`tollgate ${words} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  }
}

function wordsOf(words: string | string[]): string[] {
  return typeof words === "string" ? words.split(" ") : words;
}

const entered = { folder: "", before: "", commands: 0 };

/** Changes the working directory of this process until the last command has ended. */
function enter(folder: string): () => void {
  if (entered.commands > 0 && entered.folder !== folder)
    throw new Error(`Another command runs in ${entered.folder}: use \`runProcess\`.`);
  if (entered.commands === 0) Object.assign(entered, { folder, before: process.cwd() });
  entered.commands += 1;
  process.chdir(folder);
  return () => {
    entered.commands -= 1;
    if (entered.commands === 0) process.chdir(entered.before);
  };
}
