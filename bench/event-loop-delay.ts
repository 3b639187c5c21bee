/**
 * Loaded before the program of each process of a server (`--preload`): measures how late a timer fires, and appends
 * `time delay` in milliseconds to a file of the process in the directory that BENCH_DELAYS names. A timer that is late
 * because other processes use the cores does not count: the delay is at most the CPU time of the thread meanwhile.
 */
import { appendFileSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

const directory = process.env.BENCH_DELAYS;
const everyMilliseconds = 5;
const writeEvery = 100;

if (directory !== undefined) {
  const file = join(directory, String(process.pid));
  const statistics = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(100);
  /** CPU time of this thread, in milliseconds. */
  const cpu = () => Number.parseInt(buffer.toString("latin1", 0, readSync(statistics, buffer, 0, 100, 0)), 10) / 1e6;
  let lines: string[] = [];
  let due = performance.now() + everyMilliseconds;
  let used = cpu();
  const tick = () => {
    const late = Math.max(0, performance.now() - due);
    lines.push(`${Date.now()} ${Math.min(late, cpu() - used).toFixed(3)}\n`);
    if (lines.length >= writeEvery) {
      appendFileSync(file, lines.join(""));
      lines = [];
    }
    due = performance.now() + everyMilliseconds;
    used = cpu();
    setTimeout(tick, everyMilliseconds).unref();
  };
  setTimeout(tick, everyMilliseconds).unref();
}
