import { join } from "node:path";
import type { ReadableSubprocess } from "bun";
import { endWithUs } from "./end-with-us.ts";
import { started, stopped } from "./left-running.ts";
import { mainFile } from "./run-folder.ts";
import type { Environment } from "./server-settings.ts";

const projectFolder = join(import.meta.dir, "../..");

/** The exit code, or the name of the signal that ended the process. */
export type ExitStatus = number | NodeJS.Signals;

/** `tollgate` as an operator starts it: the real process, with only this environment. */
export class TollgateProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  /** Settles when the process has ended and all its output was read. */
  readonly exited: Promise<ExitStatus>;
  readonly #process: ReadableSubprocess;

  /** `launcher` is a program that starts it with limits, such as `prlimit`. */
  constructor(command: string[], environment: Environment = {}, launcher: string[] = [], program = mainFile) {
    this.#process = Bun.spawn([...launcher, process.execPath, program, ...command], {
      cwd: projectFolder,
      env: { PATH: process.env.PATH, ...environment },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.exited = this.#finish();
    started(this, `The process \`tollgate ${command.join(" ")}\``);
  }

  get processId(): number {
    return this.#process.pid;
  }

  kill(signal: NodeJS.Signals): Promise<ExitStatus> {
    this.#process.kill(signal);
    return this.exited;
  }

  async #finish(): Promise<ExitStatus> {
    const watch = endWithUs(this.#process.pid);
    await Promise.all([collect(this.#process.stdout, this.stdout), collect(this.#process.stderr, this.stderr)]);
    await this.#process.exited;
    watch.release();
    stopped(this);
    return this.#process.signalCode ?? this.#process.exitCode ?? 0;
  }
}

export interface CommandResult {
  status: ExitStatus;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export async function runTollgate(
  command: string[],
  environment?: Environment,
  launcher?: string[],
): Promise<CommandResult> {
  const running = new TollgateProcess(command, environment, launcher);
  const status = await running.exited;
  return { status, stdout: running.stdout.join("\n"), stderr: running.stderr.join("\n") };
}

async function collect(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  }
  if (rest !== "") lines.push(rest);
}
