import { readdirSync, readFileSync } from "node:fs";

/** The unit of /proc's times: USER_HZ, which is 100 on every architecture that Bun runs on. */
const microsecondsPerTick = 10_000;

interface ProcessTimes {
  readonly parentId: number;
  readonly microseconds: number;
}

/**
 * The CPU time of a process and its descendants, such as the sandboxes of a server. Linux only. Ended processes are not
 * counted, so none may end between two compared readings.
 */
export function cpuMicrosecondsOfTree(processId: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(name) : undefined;
    if (times) processes.set(Number(name), times);
  }
  if (!processes.has(processId)) throw new Error(`there is no process ${processId}`);
  let sum = 0;
  for (const [id, { microseconds }] of processes) if (isWithin(processes, id, processId)) sum += microseconds;
  return sum;
}

/** The CPU time of the children of a process whose arguments contain the word. */
export function cpuMicrosecondsOfChild(processId: number, word: string): number {
  return childrenOf(processId, word).reduce((sum, id) => sum + (readTimes(String(id))?.microseconds ?? 0), 0);
}

/** The children of a process whose arguments contain the word. */
export function childrenOf(processId: number, word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readTimes(name)?.parentId === processId && argumentsOf(name).includes(word))
    .map(Number);
}

function argumentsOf(processId: string): string[] {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function isWithin(processes: Map<number, ProcessTimes>, id: number, ancestorId: number): boolean {
  for (let at: number | undefined = id; at !== undefined; at = processes.get(at)?.parentId) {
    if (at === ancestorId) return true;
  }
  return false;
}

/** Undefined: it ended while the others were read. */
function readTimes(processId: string): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
    // The name in parentheses may itself hold spaces and parentheses; after it come the state and the parent.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { parentId: Number(fields[1]), microseconds: ticks * microsecondsPerTick };
  } catch {
    return undefined;
  }
}
