import { readFile } from "node:fs/promises";

/** The resource usage of a process. */
interface ProcessUsage {
  cpuSeconds: number;
  residentBytes: number;
}

/** The kernel's unit of CPU time for programs; the same on every Linux. */
const ticksPerSecond = 100;

/** Returns undefined for a process that has ended. */
export function readUsage(processId: number): Promise<ProcessUsage | undefined> {
  return process.platform === "linux" ? readProc(processId) : askPs(processId);
}

async function readProc(processId: number): Promise<ProcessUsage | undefined> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${processId}/stat`, "utf8"),
      readFile(`/proc/${processId}/status`, "utf8"),
    ]);
    // The program's name comes second, in parentheses, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const residentKilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      residentBytes: residentKilobytes * 1024,
    };
  } catch {
    return undefined;
  }
}

/** `rss` in kilobytes and `time` as [[hours:]minutes:]seconds with hundredths. */
async function askPs(processId: number): Promise<ProcessUsage | undefined> {
  const ps = Bun.spawn(["ps", "-o", "rss=,time=", "-p", String(processId)], { stdout: "pipe", stderr: "ignore" });
  const [resident, time] = (await new Response(ps.stdout).text()).trim().split(/\s+/);
  if (!resident || !time) return undefined;
  const cpuSeconds = time.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  return { cpuSeconds, residentBytes: Number(resident) * 1024 };
}
