import { join } from "node:path";
import { bundledMain, bundleProgramIfOutdated } from "../../scripts/bundle-program.ts";
import { cpuMicrosecondsOfTree } from "../process-cpu.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import { type RunningServer, residentMegabytes, startProgram } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const idleSeconds = 2;

/**
 * The time until a server on an empty data directory responds, from source, bundled and compiled, its idle memory, and
 * the duration of a command.
 */
export async function start(workspace: Workspace): Promise<Row[]> {
  const program = await buildProgram(workspace);
  await bundleProgramIfOutdated();
  const fromSource = new Starts();
  const bundled = new Starts();
  const built = new Starts();
  const megabytes: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    {
      await using server = await startProgram([program], workspace.newDirectory("empty"));
      built.add(server);
    }
    {
      await using server = await workspace.startServer(workspace.newDirectory("empty"));
      fromSource.add(server);
    }
    await using server = await startProgram([process.execPath, bundledMain], workspace.newDirectory("empty"));
    bundled.add(server);
    await Bun.sleep(idleSeconds * 1000);
    megabytes.push(residentMegabytes(server.processId));
    const figures = [built.milliseconds, bundled.milliseconds, fromSource.milliseconds, megabytes];
    const shown = figures.map((values) => values.at(-1)!.toFixed(0));
    progress(
      `start: round ${round} of ${rounds}: built ${shown[0]} ms, bundled ${shown[1]} ms, from source ${shown[2]} ms, ${shown[3]} MB`,
    );
  }
  const commands = await commandMilliseconds();
  const explanation = `From the spawn of the process to the first 200 of /readyz; median of ${rounds} starts.`;
  const target = { comparison: "<", value: 300, unit: "ms" } as const;
  const cpuTime = { comparison: "none", unit: "ms" } as const;
  const cpuExplanation =
    "The CPU time of all threads until the first response, which other load on the machine changes little.";
  return [
    limitRow(
      { what: "start on an empty data directory to the first response", against: limit, explanation },
      target,
      fromSource.milliseconds,
    ),
    limitRow(
      { what: "start on an empty data directory: CPU", against: limit, explanation: cpuExplanation },
      cpuTime,
      fromSource.cpuMilliseconds,
    ),
    limitRow(
      { what: "start of the bundle, as in the npm package and by `npm start`", against: limit, explanation },
      target,
      bundled.milliseconds,
    ),
    limitRow(
      { what: "start of the bundle: CPU", against: limit, explanation: cpuExplanation },
      cpuTime,
      bundled.cpuMilliseconds,
    ),
    limitRow(
      {
        what: "start of the built program, as in containers and releases",
        against: limit,
        explanation,
      },
      { ...target, value: 200 },
      built.milliseconds,
    ),
    limitRow(
      { what: "start of the built program: CPU", against: limit, explanation: cpuExplanation },
      cpuTime,
      built.cpuMilliseconds,
    ),
    limitRow(
      {
        what: "resident memory, idle",
        against: limit,
        explanation: `What the kernel counts as resident ${idleSeconds} s after the start of the bundle.`,
      },
      { comparison: "<", value: 100, unit: "MB" },
      megabytes,
    ),
    limitRow(
      {
        what: "tollgate version",
        against: limit,
        explanation: `From the spawn of the process to its exit: a command loads no more than it needs; median of ${rounds} runs.`,
      },
      { comparison: "<", value: 200, unit: "ms" },
      commands,
    ),
  ];
}

/** The starts of one kind of program. */
class Starts {
  readonly milliseconds: number[] = [];
  readonly cpuMilliseconds: number[] = [];

  /** Called as soon as the server is ready. */
  add({ processId, startMilliseconds }: RunningServer): void {
    this.milliseconds.push(startMilliseconds);
    this.cpuMilliseconds.push(cpuMicrosecondsOfTree(processId) / 1000);
  }
}

/** As `npm run build` does, for this machine. */
async function buildProgram(workspace: Workspace): Promise<string> {
  const folder = workspace.newDirectory("program");
  const build = Bun.spawn([process.execPath, "scripts/build.ts", folder], { stdout: "ignore", stderr: "inherit" });
  if ((await build.exited) !== 0) throw new Error("the program could not be built");
  return join(folder, "tollgate");
}

async function commandMilliseconds(): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const started = performance.now();
    const status = await Bun.spawn([process.execPath, "src/main.ts", "version"], { stdout: "ignore" }).exited;
    if (status !== 0) throw new Error(`tollgate version exited with ${status}`);
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}
