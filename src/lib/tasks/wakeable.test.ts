import { expect, test } from "bun:test";
import { Wakeable } from "./wakeable.ts";

test("wakes during a run cause one more run, and no run begins after stop", async () => {
  let runs = 0;
  let release = () => {};
  const wakeable = new Wakeable(
    async () => {
      runs += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    },
    () => {},
  );
  wakeable.wake();
  wakeable.wake();
  wakeable.wake();
  expect(runs).toBe(1);
  release();
  await Bun.sleep(0);
  expect(runs).toBe(2);
  const stopped = wakeable.stop();
  release();
  await stopped;
  wakeable.wake();
  expect(runs).toBe(2);
});

test("a failure is reported, and the next wake runs again", async () => {
  const failures: unknown[] = [];
  let runs = 0;
  const wakeable = new Wakeable(
    async () => {
      runs += 1;
      throw new Error("no");
    },
    (error) => failures.push(error),
  );
  wakeable.wake();
  await Bun.sleep(0);
  wakeable.wake();
  await wakeable.stop();
  expect([runs, failures.length]).toEqual([2, 2]);
});
