import { watch } from "node:fs";
import { resolve } from "node:path";
import { BuildError } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { showBuildMessages } from "../output/build-errors.ts";
import { logLine } from "../output/log-line.ts";
import { milliseconds } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";
import { envFile } from "../projects/env-file.ts";
import { projectNameOf } from "../projects/project-name.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { DevGateway, developer } from "./dev-gateway.ts";
import { exampleCall } from "./dev-project.ts";

/** Editors write a file in several steps. */
const settleMs = 100;

/** Runs until it is interrupted. Returns the exit code. */
export async function runDev(folder: string, port: number, context: Context): Promise<number> {
  const signal = onInterrupt();
  const gateway = await startGateway(port);
  try {
    await new DevSession(gateway, resolve(folder), signal, context.terminal).run();
  } finally {
    await gateway.stop();
  }
  return exitCodes.success;
}

async function startGateway(port: number): Promise<DevGateway> {
  try {
    return await DevGateway.start(port, (text) => process.stderr.write(text));
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new UsageError(
      `Port ${port} is in use.`,
      "Choose another with --port NUMBER, or omit --port to use any free one.",
    );
  }
}

/** Deploys after each change and prints requests in between. */
class DevSession {
  readonly #line: LiveLine;
  #isFollowing = false;

  constructor(
    private readonly gateway: DevGateway,
    private readonly folder: string,
    private readonly signal: AbortSignal,
    private readonly terminal: Terminal,
  ) {
    this.#line = new LiveLine(terminal);
  }

  async run(): Promise<void> {
    for await (const changed of changesIn(this.folder, this.signal)) await this.#deploy(changed);
  }

  async #deploy(changed: string | undefined): Promise<void> {
    const { terminal } = this;
    const began = performance.now();
    this.#line.spin(changed === undefined ? "Building" : `${changed} changed; building`);
    try {
      const { deployment, settings } = await this.gateway.deploy(this.folder, projectNameOf(this.folder), {
        signal: this.signal,
      });
      this.#line.remove();
      const took = terminal.style("dim", `(${milliseconds(performance.now() - began)})`);
      const { url } = this.gateway;
      terminal.print(`${terminal.style("green", changed === undefined ? "Ready" : "Reloaded")} ${url} ${took}`);
      if (this.#isFollowing) return;
      this.#isFollowing = true;
      this.#introduce(exampleCall(settings, url, this.gateway.furnishing.keys));
      void this.#follow(deployment.name);
    } catch (error) {
      this.#line.remove();
      if (this.signal.aborted) return;
      if (error instanceof BuildError) await showBuildMessages(terminal, problemsOf(error), this.folder, "red");
      else if (error instanceof Error) terminal.note(`${terminal.noteStyle("red", "Error:")} ${error.message}`);
      terminal.note(this.#isFollowing ? "The previous version keeps serving." : "Waiting for a change.");
    }
  }

  #introduce(example: string | undefined): void {
    const { terminal } = this;
    const { keys, meters } = this.gateway.furnishing;
    for (const [bucket, key] of keys)
      terminal.print(
        `Key of consumer ${terminal.style("bold", developer)} in bucket ${bucket}: ${terminal.style("bold", key)}`,
      );
    for (const [meter, max] of Object.entries(meters))
      terminal.print(`Its plan allows ${max.toLocaleString("en")} of ${meter} a month`);
    if (example !== undefined) terminal.print(`Try: ${terminal.style("cyan", example)}`);
    terminal.print(`Watching ${this.folder}; Ctrl-C ends.\n`, "dim");
  }

  async #follow(name: string): Promise<void> {
    const { terminal } = this;
    try {
      for await (const line of this.gateway.client.deployments.followLogs(name, { signal: this.signal }))
        if (line.kind !== "build") terminal.print(logLine(terminal, line));
    } catch (error) {
      if (!this.signal.aborted) terminal.note(`The log is no longer followed: ${String(error)}`);
    }
  }
}

/** Yields once at the start, and then a changed file whenever changes have settled, until the signal aborts. */
async function* changesIn(folder: string, signal: AbortSignal): AsyncGenerator<string | undefined> {
  let changed: string | undefined;
  let wake = Promise.withResolvers<void>();
  let settled: ReturnType<typeof setTimeout> | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, file) => {
    const isIgnored = file === null || /(^|\/)(\.|node_modules(\/|$))/.test(file) || file.endsWith("~");
    if (isIgnored && file !== envFile) return;
    changed = file;
    clearTimeout(settled);
    settled = setTimeout(() => wake.resolve(), settleMs);
  });
  const end = () => wake.resolve();
  signal.addEventListener("abort", end);
  try {
    yield undefined;
    for (;;) {
      await wake.promise;
      if (signal.aborted) return;
      wake = Promise.withResolvers<void>();
      yield changed;
    }
  } finally {
    clearTimeout(settled);
    watcher.close();
    signal.removeEventListener("abort", end);
  }
}

/** A version that fails to start has no file position to point at. */
function problemsOf(error: BuildError) {
  return error.errors.length > 0 ? error.errors : [{ file: "", line: 0, column: 0, message: error.message }];
}
