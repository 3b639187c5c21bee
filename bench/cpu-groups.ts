import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Short, so that a process that has used its share waits for milliseconds only. */
const periodMicroseconds = 20_000;

let count = 0;

/** A control group whose processes together may use a share of a core. Linux only. */
export class CpuGroup implements Disposable {
  private constructor(private readonly directory: string) {}

  /** Returns undefined where such groups do not exist, or where this process may not create them. */
  static create(shareOfCore: number): CpuGroup | undefined {
    for (const parent of parents()) {
      const directory = join(parent, `tollgate-bench-${process.pid}-${++count}`);
      try {
        mkdirSync(directory);
        if (limit(directory, Math.round(shareOfCore * periodMicroseconds))) return new CpuGroup(directory);
        rmdirSync(directory);
      } catch {
        // Read-only, or without permission.
        if (existsSync(directory)) rmdirSync(directory);
      }
    }
    return undefined;
  }

  /** Moves a process with all of its threads. */
  add(processId: number): void {
    writeFileSync(join(this.directory, "cgroup.procs"), String(processId));
  }

  /** Its processes must have ended. */
  [Symbol.dispose](): void {
    rmdirSync(this.directory);
  }
}

/** Returns whether the group has a CPU controller: that of version 1, or that of version 2. */
function limit(directory: string, quota: number): boolean {
  const file = (name: string) => join(directory, name);
  if (existsSync(file("cpu.cfs_quota_us"))) {
    writeFileSync(file("cpu.cfs_period_us"), String(periodMicroseconds));
    writeFileSync(file("cpu.cfs_quota_us"), String(quota));
    return true;
  }
  if (!existsSync(file("cpu.max"))) return false;
  writeFileSync(file("cpu.max"), `${quota} ${periodMicroseconds}`);
  return true;
}

/** The groups of this process, and the root. With version 2, a group with processes can have none with controllers. */
function parents(): string[] {
  const own = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, controllers, path]) => ({ controllers: controllers!.split(","), path: path! }));
  const found: string[] = [];
  for (const line of readFileSync("/proc/mounts", "utf8").split("\n")) {
    const [, mount, type, options] = line.split(" ");
    const isFirst = type === "cgroup" && options!.split(",").includes("cpu");
    if (!isFirst && type !== "cgroup2") continue;
    const group = own.find(({ controllers }) => controllers.includes(isFirst ? "cpu" : ""));
    found.push(...(group ? [join(mount!, group.path)] : []), mount!);
  }
  return [...new Set(found)];
}
