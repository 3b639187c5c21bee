import { expect, test } from "bun:test";
import { TaskRunner } from "./task-runner.ts";

interface Running {
  task: string;
  signal: AbortSignal;
  end(): void;
}

function runnerOf(queue: string[], claim = async () => queue.shift()) {
  const running: Running[] = [];
  const failures: unknown[] = [];
  const runner = new TaskRunner<string>({
    maxConcurrent: 2,
    pollSeconds: 3600,
    claim,
    run: (task, signal) => new Promise((end) => running.push({ task, signal, end })),
    claimFailed: (error) => failures.push(error),
  });
  return { runner, running, failures, tasks: () => running.map(({ task }) => task) };
}

test("runs up to the limit of tasks at once, and the next when one ends", async () => {
  const { runner, running, tasks } = runnerOf(["one", "two", "three"]);
  runner.start();
  await Bun.sleep(0);
  expect(tasks()).toEqual(["one", "two"]);
  running[0]!.end();
  await Bun.sleep(0);
  expect(tasks()).toEqual(["one", "two", "three"]);
  for (const { end } of running) end();
  await runner.stop();
});

test("claims again when it is woken, also after a failed claim", async () => {
  const queue: string[] = [];
  let fails = true;
  const { runner, running, failures, tasks } = runnerOf(queue, async () => {
    if (fails) throw new Error("no");
    return queue.shift();
  });
  runner.start();
  await Bun.sleep(0);
  expect(failures).toHaveLength(1);
  fails = false;
  queue.push("one");
  runner.wake();
  await Bun.sleep(0);
  expect(tasks()).toEqual(["one"]);
  running[0]!.end();
  await runner.stop();
});

test("stop waits for running tasks and for the claim in progress, and no task begins after it", async () => {
  let claimed = (_task: string) => {};
  const claims = [
    Promise.resolve("one"),
    new Promise<string>((resolve) => (claimed = resolve)),
    Promise.resolve("three"),
  ];
  const { runner, running, tasks } = runnerOf([], async () => claims.shift());
  runner.start();
  await Bun.sleep(0);
  expect(running[0]!.signal.aborted).toBe(false);

  let isStopped = false;
  const stopped = runner.stop().then(() => {
    isStopped = true;
  });
  expect(running[0]!.signal.aborted).toBe(true);
  claimed("two");
  await Bun.sleep(0);
  expect(tasks()).toEqual(["one", "two"]);
  expect(running[1]!.signal.aborted).toBe(true);
  running[0]!.end();
  await Bun.sleep(0);
  expect(isStopped).toBe(false);
  running[1]!.end();
  await stopped;
  runner.wake();
  await Bun.sleep(0);
  expect(tasks()).toEqual(["one", "two"]);
});
