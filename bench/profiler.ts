import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./child-process.ts";

const folder = "bench/profiles";

/** Has servers started so that each leaves a CPU profile when it ends: `NAME-DATE.cpuprofile`, the next ones with a number. */
export class Profiler {
  readonly files: string[] = [];
  readonly #stem: string;

  constructor(name: string, startedOn: Date) {
    mkdirSync(join(projectRoot, folder), { recursive: true });
    this.#stem = `${name}-${startedOn.toISOString().slice(0, 19).replaceAll(":", "-")}`;
  }

  nextFlags(): string[] {
    const number = this.files.length === 0 ? "" : `-${this.files.length + 1}`;
    const file = `${this.#stem}${number}.cpuprofile`;
    this.files.push(join(folder, file));
    return ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${file}`];
  }

  howToOpen(): string {
    return `
The CPU profile of the server:
${this.files.map((file) => `  ${file}`).join("\n")}
Open it in Chrome's developer tools (Performance, load profile), in VS Code, or at https://www.speedscope.app.`;
  }
}
