import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endWithUs } from "./end-with-us.ts";
import { started, stopped } from "./left-running.ts";
import { mainFile } from "./run-folder.ts";
import { adminToken, type Environment } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";
import { within } from "./tollgate-process.ts";

const program = [process.execPath, mainFile];

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

/** The real program in a pipe, like in a script: in a separate folder, with an empty environment. */
export class Cli {
  readonly #folder: TemporaryFolder;
  readonly #server: { readonly url: string };
  readonly #command: string[];

  constructor(folder: TemporaryFolder, server: { readonly url: string }, command = program) {
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

  start(words: string[], { environment = this.environment, cwd = this.folder }: CliOptions = {}) {
    const child = Bun.spawn([...this.#command, ...words], {
      cwd,
      env: environment,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    const watch = endWithUs(child.pid);
    started(child, `The process \`tollgate ${words.join(" ")}\``);
    child.exited.then(() => {
      watch.release();
      stopped(child);
    });
    return child;
  }

  /** Words are separated by spaces; pass an array for words that contain spaces. */
  async run(words: string | string[], options: CliOptions = {}): Promise<CliResult> {
    const child = this.start(typeof words === "string" ? words.split(" ") : words, options);
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
    const { status, stdout, stderr } = await this.run(
      [...(typeof words === "string" ? words.split(" ") : words), "--json"],
      options,
    );
    if (status !== 0) throw new Error(`tollgate ${words} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  }
}
