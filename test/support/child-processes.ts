import { readdirSync, readFileSync } from "node:fs";

/** The children of a process whose arguments contain the word. */
export function childrenOf(parent: number, word = ""): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const isChild = Number(statusOf(name, "PPid")) === parent && argumentsOf(name).includes(word);
    return isChild && isRunning(Number(name)) ? [Number(name)] : [];
  });
}

/** Whether the process exists and has not ended. */
export function isRunning(pid: number): boolean {
  const state = statusOf(String(pid), "State");
  return state !== undefined && !state.startsWith("Z");
}

function statusOf(pid: string, field: string): string | undefined {
  return new RegExp(`^${field}:\\s+(.+)$`, "m").exec(read(`/proc/${pid}/status`))?.[1];
}

function argumentsOf(pid: string): string {
  return read(`/proc/${pid}/cmdline`);
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
