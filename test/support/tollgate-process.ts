import { join } from "node:path";
import type { ReadableSubprocess } from "bun";
import { started, stopped } from "./left-running.ts";
import { killOnExit } from "./on-exit.ts";
import { program as ownProgram } from "./run-folder.ts";
import type { Environment } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";

const projectFolder = join(import.meta.dir, "../..");

/** Shorter than a test's timeout, so that the error contains the output. */
const commandWithinMs = patiently(100_000);

/** The exit code, or the name of the signal that ended the process. */
export type ExitStatus = number | NodeJS.Signals;

/** `tollgate` as an operator starts it: the real process, with only this environment. */
export class TollgateProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  /** Settles when the process has ended and all its output was read. Rejects if the output does not end. */
  readonly exited: Promise<ExitStatus>;
  readonly #process: ReadableSubprocess;
  readonly #name: string;

  /**
   * `launcher` is a program that starts it with limits, such as `prlimit`. The output may end `outputWithinMs` later than
   * the process, because another process may hold it open.
   */
  constructor(
    command: string[],
    environment: Environment = {},
    launcher: string[] = [],
    program = ownProgram,
    private readonly outputWithinMs = patiently(20_000),
  ) {
    this.#process = Bun.spawn([...launcher, ...program, ...command], {
      cwd: projectFolder,
      env: { PATH: process.env.PATH, ...environment },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#name = `The process \`tollgate ${command.join(" ")}\``;
    this.exited = this.#finish();
    started(this, this.#name);
  }

  get processId(): number {
    return this.#process.pid;
  }

  kill(signal: NodeJS.Signals): Promise<ExitStatus> {
    this.#process.kill(signal);
    return this.exited;
  }

  async #finish(): Promise<ExitStatus> {
    const watch = killOnExit(this.#process.pid);
    const output = Promise.all([
      collect(this.#process.stdout, this.stdout),
      collect(this.#process.stderr, this.stderr),
    ]);
    await this.#process.exited;
    watch.release();
    stopped(this);
    const status = this.#process.signalCode ?? this.#process.exitCode ?? 0;
    const isComplete = await within(this.outputWithinMs, output);
    if (!isComplete) throw new Error(`${this.#name} ended with ${status}, and its output did not end. ${this.report}`);
    return status;
  }

  /** What is known about the process, for errors. */
  get report(): string {
    const usage = this.#process.resourceUsage();
    const used = usage ? `It used ${Number(usage.cpuTime.total) / 1e6} s of CPU time. ` : "";
    return `${used}It wrote:\n${[...this.stdout, ...this.stderr].join("\n")}`;
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
  if (!(await within(commandWithinMs, running.exited))) {
    await running.kill("SIGKILL");
    throw new Error(`\`tollgate ${command.join(" ")}\` did not end within ${commandWithinMs} ms. ${running.report}`);
  }
  const status = await running.exited;
  return { status, stdout: running.stdout.join("\n"), stderr: running.stderr.join("\n") };
}

/** Returns false if the promise is not settled in time, and rejects if the promise does. */
export async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, milliseconds, false);
  try {
    return await Promise.race([promise.then(() => true), tooLate]);
  } finally {
    clearTimeout(timer);
  }
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
