import { readdirSync, readFileSync } from "node:fs";

/** Linux alone: the figures of /proc for a process of ours. */
export function openDescriptors(processId: number): number {
  return readdirSync(`/proc/${processId}/fd`).length;
}

export function residentMegabytes(processId: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
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
