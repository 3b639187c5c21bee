import { readFileSync, writeFileSync } from "node:fs";
import type { SpawnedServer } from "../../test/support/spawned-server.ts";

export interface Cost {
  /** Of the thread that serves, in milliseconds. */
  cpu: number;
  /** The longest that another request waited meanwhile, in milliseconds. */
  delay: number;
  /** The most CPU time that the thread used while one other request waited, in milliseconds: its longest slice, and a bit more. */
  slice: number;
  /** How far memory rose above where it was, in megabytes. */
  memory: number;
}

/** Measures the cost of a piece of work for the server. */
export async function costOf(server: SpawnedServer, work: () => Promise<unknown>): Promise<Cost> {
  const { processId } = server;
  // Resets the kernel's record of the peak.
  writeFileSync(`/proc/${processId}/clear_refs`, "5");
  const before = { memory: memoryOf(processId, "VmRSS"), cpu: cpuOf(processId) };
  let isOver = false;
  const pinging = longestPing(server, () => isOver);
  try {
    await work();
  } finally {
    isOver = true;
  }
  const longest = await pinging;
  return { ...longest, cpu: cpuOf(processId) - before.cpu, memory: memoryOf(processId, "VmHWM") - before.memory };
}

async function longestPing({ processId, url }: SpawnedServer, isOver: () => boolean) {
  const longest = { delay: 0, slice: 0 };
  while (!isOver()) {
    const started = performance.now();
    const cpu = cpuOf(processId);
    await (await fetch(`${url}/healthz`)).text();
    longest.delay = Math.max(longest.delay, performance.now() - started);
    longest.slice = Math.max(longest.slice, cpuOf(processId) - cpu);
  }
  return longest;
}

function cpuOf(processId: number): number {
  const [nanoseconds] = readFileSync(`/proc/${processId}/task/${processId}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1_000_000;
}

function memoryOf(processId: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024;
}
