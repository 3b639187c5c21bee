import { expect, test } from "bun:test";
import { Pace } from "./pace.ts";

test("pauses four times as long as the work while the process has other work, and shortly otherwise", async () => {
  let now = 0;
  let cpu = 0;
  let otherWork = 0.5;
  const pauses: number[] = [];
  const pace = new Pace({
    cpuMilliseconds: () => cpu,
    elapsed: () => now,
    async pause(milliseconds) {
      pauses.push(milliseconds);
      now += milliseconds;
      cpu += milliseconds * otherWork;
    },
  });
  const work = (milliseconds: number) =>
    pace.run(async () => {
      now += milliseconds;
      cpu += milliseconds;
    });
  await work(100);
  expect(pace.isBusy).toBe(true);
  otherWork = 0;
  await work(200);
  expect(pace.isBusy).toBe(false);
  await work(300);
  otherWork = 1;
  await work(400);
  expect(pace.isBusy).toBe(true);
  await work(5_000);
  expect(pauses).toEqual([400, 800, 10, 10, 1_000]);
});
