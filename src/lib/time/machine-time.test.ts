import { expect, test } from "bun:test";
import { join } from "node:path";
import { machineOffset, machineTime } from "./machine-time.ts";

const program = `
  import { machineTime } from ${JSON.stringify(join(import.meta.dir, "machine-time.ts"))};
  process.on("message", () => process.send(machineTime()));
  process.send(machineTime());
`;

/** Starts a process and returns what it sends: its machine time at its start, and with each call of `next`. */
function startClock() {
  let received = Promise.withResolvers<number>();
  const child = Bun.spawn([process.execPath, "--eval", program], {
    ipc: (time: number) => received.resolve(time),
    stdout: "ignore",
    stderr: "inherit",
  });
  const next = async () => {
    const before = machineTime();
    received = Promise.withResolvers<number>();
    child.send("time");
    const time = await received.promise;
    return { before, time, after: machineTime() };
  };
  return { child, first: received.promise, next };
}

/** Reads of two processes have errors of microseconds each. */
const toleranceMilliseconds = 0.5;

// Only Linux has workers, which compare their time.
const onLinux = process.platform === "linux" ? test : () => {};

onLinux("processes of different ages have the same machine time", async () => {
  const older = startClock();
  const first = await older.first;
  const younger = startClock();
  // The second process starts after the first one has read its clock.
  expect(await younger.first).toBeGreaterThan(first);
  for (const { next } of [older, younger, older]) {
    const { before, time, after } = await next();
    expect(time).toBeGreaterThan(before - toleranceMilliseconds);
    expect(time).toBeLessThan(after + toleranceMilliseconds);
  }
  for (const { child } of [older, younger]) {
    child.kill();
    await child.exited;
  }
});

test("machine time advances with the monotonic time of the process", () => {
  const before = performance.now();
  const time = machineTime() - machineOffset();
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(performance.now());
});
