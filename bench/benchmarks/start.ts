import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import { residentMegabytes } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const idleSeconds = 2;

/** How long a server needs on an empty data directory until it responds, what it holds when it idles, and how soon a command is done. */
export async function start(workspace: Workspace): Promise<Row[]> {
  const milliseconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await using server = await workspace.startServer(workspace.newDirectory("empty"));
    milliseconds.push(server.startMilliseconds);
    await Bun.sleep(idleSeconds * 1000);
    megabytes.push(residentMegabytes(server.processId));
    progress(
      `start: round ${round} of ${rounds}: ${server.startMilliseconds.toFixed(0)} ms, ${megabytes.at(-1)!.toFixed(0)} MB`,
    );
  }
  const commands = await commandMilliseconds();
  return [
    limitRow(
      {
        what: "start on an empty data directory to the first response",
        against: limit,
        explanation: `From the spawn of the process to the first 200 of /readyz; median of ${rounds} starts.`,
      },
      { comparison: "<", value: 300, unit: "ms" },
      milliseconds,
    ),
    limitRow(
      {
        what: "resident memory, idle",
        against: limit,
        explanation: `What the kernel counts as resident ${idleSeconds} s after the start.`,
      },
      { comparison: "<", value: 120, unit: "MB" },
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
