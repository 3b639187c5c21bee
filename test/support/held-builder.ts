import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { started, stopped } from "./left-running.ts";
import { builderFile } from "./run-folder.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** Records its start, waits while it is held, then becomes the real builder. */
const script = `
  echo $$ >> "$1/runs"
  while [ -e "$1/held" ]; do sleep 0.02; done
  exec "$2" "$3" "$4"
`;

/** The real builder, which begins when the test releases it, with a count of starts. */
export class HeldBuilder {
  private constructor(private readonly folder: TemporaryFolder) {
    started(this, "A held builder");
  }

  static async make(): Promise<HeldBuilder> {
    return new HeldBuilder(await temporaryFolder("builder"));
  }

  get command(): string[] {
    return ["/bin/sh", "-c", script, "sh", this.folder.path, process.execPath, builderFile];
  }

  hold(): void {
    writeFileSync(join(this.folder.path, "held"), "");
  }

  async release(): Promise<void> {
    await rm(join(this.folder.path, "held"), { force: true });
  }

  get runs(): number {
    return this.#processIds.length;
  }

  get #processIds(): number[] {
    const file = join(this.folder.path, "runs");
    return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").map(Number) : [];
  }

  /** Waits for a number of starts. */
  async startedTimes(runs: number): Promise<void> {
    await until(() => this.runs >= runs, { what: `builder run ${runs}` });
  }

  /** Waits until no build is in progress. */
  async ended(): Promise<void> {
    await until(() => !this.#processIds.some(isRunning), { what: "the builders to end" });
  }

  async remove(): Promise<void> {
    stopped(this);
    await this.folder.remove();
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
