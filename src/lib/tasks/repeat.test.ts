import { expect, spyOn, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { machineTime } from "../time/machine-time.ts";
import { repeat, repeatFromNow } from "./repeat.ts";

const often = 0.001;

test("the work runs periodically until it is stopped", async () => {
  let runs = 0;
  const task = repeat(
    often,
    async () => {
      runs += 1;
    },
    () => {},
  );
  await until(() => runs >= 3);
  await task.stop();
  const atStop = runs;
  await severalTurns();
  expect(runs).toBe(atStop);
});

test("runs never overlap, and stop waits for the run in progress", async () => {
  const running: PromiseWithResolvers<void>[] = [];
  const task = repeat(
    often,
    () => {
      const run = Promise.withResolvers<void>();
      running.push(run);
      return run.promise;
    },
    () => {},
  );
  await until(() => running.length === 1);
  await severalTurns();
  expect(running).toHaveLength(1);

  running[0]!.resolve();
  await until(() => running.length === 2);
  let stopped = false;
  const stopping = task.stop().then(() => {
    stopped = true;
  });
  await Promise.resolve();
  expect(stopped).toBe(false);
  running[1]!.resolve();
  await stopping;
  expect(running).toHaveLength(2);
});

test("a requested run begins after the run in progress, which did not see what happened before the request", async () => {
  let value = "old";
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const task = repeatFromNow(
    1_000,
    async () => {
      seen.push(value);
      if (seen.length === 1) await first.promise;
    },
    () => {},
  );
  value = "new";
  const requested = [task.run(), task.run()];
  expect(seen).toEqual(["old"]);
  first.resolve();
  await Promise.all(requested);
  expect(seen).toEqual(["old", "new"]);
  await task.stop();
});

test("a requested run does not begin after stop", async () => {
  let runs = 0;
  const first = Promise.withResolvers<void>();
  const task = repeatFromNow(
    1_000,
    () => {
      runs += 1;
      return first.promise;
    },
    () => {},
  );
  const requested = task.run();
  const stopping = task.stop();
  first.resolve();
  await Promise.all([requested, stopping]);
  expect(runs).toBe(1);
});

test("a failure is reported, and the next interval retries", async () => {
  const failures: unknown[] = [];
  let runs = 0;
  const task = repeat(
    often,
    async () => {
      runs += 1;
      if (runs < 3) throw new Error(`failure ${runs}`);
    },
    (error) => failures.push(error),
  );
  await until(() => runs >= 4);
  await task.stop();
  expect(failures.map(String)).toEqual(["Error: failure 1", "Error: failure 2"]);
});

test("the first run can be immediate, and stop aborts a long run", async () => {
  let runs = 0;
  const task = repeatFromNow(
    1_000,
    async (signal) => {
      runs += 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    () => {},
  );
  expect(runs).toBe(1);
  await task.stop();
  expect(runs).toBe(1);
});

test("the first run can have its own delay", async () => {
  const runs: string[] = [];
  const run = (name: string) => async () => {
    runs.push(name);
  };
  const soon = repeat(1_000, run("soon"), () => {}, often);
  const late = repeat(often, run("late"), () => {}, 1_000);
  await until(() => runs.length > 0);
  await severalTurns();
  await soon.stop();
  await late.stop();
  await severalTurns();
  expect(runs).toEqual(["soon"]);
});

test("intervals of up to a second end at multiples of their length, whenever the runs begin", async () => {
  const delays: number[] = [];
  let end = () => {};
  let now = 0;
  using _now = spyOn(performance, "now").mockImplementation(() => now);
  using _timer = spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, delay: number) => {
    delays.push(delay);
    end = callback;
  }) as typeof setTimeout);
  const noop = async () => {};
  const task = repeat(0.2, noop, () => {});
  let due = (Math.floor(machineTime() / 200) + 1) * 200;
  for (const late of [0, 3, 150, -0.4, 0, 450]) {
    expect(machineTime() + delays.at(-1)!).toBeCloseTo(due, 5);
    now += delays.at(-1)! + late;
    due += late < 200 ? 200 : 600;
    end();
  }
  expect(machineTime() + delays.at(-1)!).toBeCloseTo(due, 5);
  await task.stop();

  // Rare work need not run at the same time in all processes.
  const rare = repeat(30, noop, () => {});
  expect(delays.at(-1)).toBeCloseTo(30_000, 5);
  await rare.stop();
});

/** Enough time for a task that was not stopped to run again. */
async function severalTurns(): Promise<void> {
  let turns = 0;
  const other = repeat(
    often,
    async () => {
      turns += 1;
    },
    () => {},
  );
  await until(() => turns >= 5);
  await other.stop();
}
