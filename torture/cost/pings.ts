/** A worker of its own, because the requests that are measured also keep the thread that sends them busy. */
import { readFileSync } from "node:fs";

declare const self: Worker;

export interface Pinged {
  delay: number;
  slice: number;
}

/** In milliseconds. */
export function cpuOf(processId: number): number {
  const [nanoseconds] = readFileSync(`/proc/${processId}/task/${processId}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1_000_000;
}

let isOver = false;

/** Sends one request after the other until it receives "stop", then returns the longest. */
async function ping({ processId, url }: { processId: number; url: string }): Promise<void> {
  const longest: Pinged = { delay: 0, slice: 0 };
  isOver = false;
  while (!isOver) {
    const started = performance.now();
    const cpu = cpuOf(processId);
    await (await fetch(`${url}/healthz`)).text();
    longest.delay = Math.max(longest.delay, performance.now() - started);
    longest.slice = Math.max(longest.slice, cpuOf(processId) - cpu);
    await Bun.sleep(1);
  }
  postMessage(longest);
}

if (!Bun.isMainThread)
  self.onmessage = ({ data }: MessageEvent) => {
    if (data === "stop") isOver = true;
    else void ping(data);
  };
