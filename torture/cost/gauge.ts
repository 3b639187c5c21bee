import { readFileSync, writeFileSync } from "node:fs";
import type { SpawnedServer } from "../../test/support/spawned-server.ts";

const tickMilliseconds = 10;

export interface Cost {
  /** Of the thread that serves, in milliseconds. */
  cpu: number;
  /** The longest that another request waited meanwhile, in milliseconds. */
  delay: number;
  /** How far memory rose above where it was, in megabytes. */
  memory: number;
}

/** Measures the cost of a piece of work for the server. */
export async function costOf(server: SpawnedServer, work: () => Promise<unknown>): Promise<Cost> {
  const { processId, url } = server;
  // Resets the kernel's record of the peak.
  writeFileSync(`/proc/${processId}/clear_refs`, "5");
  const before = { memory: memoryOf(processId, "VmRSS"), cpu: cpuOf(processId) };
  let isOver = false;
  const pinging = longestPing(url, () => isOver);
  try {
    await work();
  } finally {
    isOver = true;
  }
  const delay = await pinging;
  return { cpu: cpuOf(processId) - before.cpu, delay, memory: memoryOf(processId, "VmHWM") - before.memory };
}

async function longestPing(url: string, isOver: () => boolean): Promise<number> {
  let longest = 0;
  while (!isOver()) {
    const started = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}

function cpuOf(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/task/${processId}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMilliseconds;
}

function memoryOf(processId: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024;
}
