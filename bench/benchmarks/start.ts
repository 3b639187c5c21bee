import { progress } from "../progress.ts";
import { residentMegabytes, startServer } from "../server.ts";
import { median, type Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const idleSeconds = 2;

/** How long a server needs on an empty data directory until it answers, and what it holds when it idles. */
export async function start(workspace: Workspace): Promise<Row[]> {
  const milliseconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await using server = await startServer(workspace.newDirectory("empty"));
    milliseconds.push(server.startMilliseconds);
    await Bun.sleep(idleSeconds * 1000);
    megabytes.push(residentMegabytes(server.processId));
    progress(
      `start: round ${round} of ${rounds}: ${server.startMilliseconds.toFixed(0)} ms, ${megabytes.at(-1)!.toFixed(0)} MB`,
    );
  }
  return [
    {
      what: "start on an empty data directory to the first answer",
      against: "limit",
      target: { comparison: "<", value: 300, unit: "ms" },
      reached: median(milliseconds),
      rounds: milliseconds,
      measured: `median of ${rounds} starts`,
    },
    {
      what: "resident memory, idle",
      against: "limit",
      target: { comparison: "<", value: 120, unit: "MB" },
      reached: median(megabytes),
      rounds: megabytes,
      measured: `${idleSeconds} s after the start`,
    },
  ];
}
