import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Returns the number of cores of the machine, or of the CPU quota of the process's cgroup if that is less. */
export function cpuCount(read: (path: string) => string | undefined = readText): number {
  const [quota, period] = quotaOf(read);
  const cores = availableParallelism();
  return quota > 0 && period > 0 ? Math.max(1, Math.min(cores, Math.ceil(quota / period))) : cores;
}

/** Version 2 has one file; version 1 has two, and -1 for no quota. */
function quotaOf(read: (path: string) => string | undefined): [quota: number, period: number] {
  const both = read("/sys/fs/cgroup/cpu.max")?.trim().split(" ");
  if (both) return [Number(both[0]), Number(both[1])];
  const folder = "/sys/fs/cgroup/cpu";
  return [Number(read(`${folder}/cpu.cfs_quota_us`) ?? -1), Number(read(`${folder}/cpu.cfs_period_us`) ?? 0)];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
