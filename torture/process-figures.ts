import { readdirSync, readFileSync } from "node:fs";

/** Linux alone: the figures of /proc for a process of ours. */
export function openDescriptors(processId: number): number {
  return readdirSync(`/proc/${processId}/fd`).length;
}

export function residentMegabytes(processId: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** The CPU time that a process has used. In steps of 10 ms, because the unit of /proc is USER_HZ. */
export function cpuMilliseconds(processId: number): number {
  const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
  // The name in parentheses may itself contain spaces; after it come the state and the parent.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The processes of that name which a process has started, directly or not. */
export function descendants(processId: number, name: string): number[] {
  const children = readFileSync(`/proc/${processId}/task/${processId}/children`, "utf8");
  const ids = children.trim() === "" ? [] : children.trim().split(" ").map(Number);
  return ids.flatMap((id) => {
    try {
      const isNamed = readFileSync(`/proc/${id}/comm`, "utf8").trim() === name;
      return [...(isNamed ? [id] : []), ...descendants(id, name)];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}
