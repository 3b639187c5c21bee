import { readFileSync, writeFileSync } from "node:fs";
import type { SpawnedServer } from "../../test/support/spawned-server.ts";
import { cpuOf, type Pinged } from "./pings.ts";

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

/** Measures the cost of pieces of work for a server. */
export class Gauge implements Disposable {
  readonly #pings = new Worker(new URL("./pings.ts", import.meta.url));

  constructor(private readonly server: SpawnedServer) {}

  async costOf(work: () => Promise<unknown>): Promise<Cost> {
    const { processId, url } = this.server;
    // Resets the kernel's record of the peak.
    writeFileSync(`/proc/${processId}/clear_refs`, "5");
    const before = { memory: memoryOf(processId, "VmRSS"), cpu: cpuOf(processId) };
    const pinged = new Promise<Pinged>((resolve) => {
      this.#pings.onmessage = ({ data }: MessageEvent<Pinged>) => resolve(data);
    });
    this.#pings.postMessage({ processId, url });
    try {
      await work();
    } finally {
      this.#pings.postMessage("stop");
    }
    const cpu = cpuOf(processId) - before.cpu;
    const memory = memoryOf(processId, "VmHWM") - before.memory;
    return { ...(await pinged), cpu, memory };
  }

  [Symbol.dispose](): void {
    this.#pings.terminate();
  }
}

function memoryOf(processId: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024;
}
