import { expect, test } from "bun:test";
import { Lifecycle } from "./lifecycle.ts";

test("closes in reverse order, and a failure does not skip the others", async () => {
  const events: string[] = [];
  const lifecycle = new Lifecycle((what, error) => events.push(`${what} failed: ${(error as Error).message}`));
  lifecycle.onClose("storage", () => events.push("storage"));
  lifecycle.onClose("ledger", () => Promise.reject(new Error("disk full")));
  lifecycle.onClose("listener", async () => events.push("listener"));
  expect(lifecycle.phase).toBe("starting");
  lifecycle.started();
  expect(lifecycle.phase).toBe("ready");
  await lifecycle.close();
  expect(events).toEqual(["listener", "ledger failed: disk full", "storage"]);
  expect(lifecycle.phase).toBe("stopping");
});

test("a second close does nothing", async () => {
  let closed = 0;
  const lifecycle = new Lifecycle(() => {});
  lifecycle.onClose("storage", () => {
    closed += 1;
  });
  await lifecycle.close();
  await lifecycle.close();
  expect(closed).toBe(1);
});

test("stops periodic work", async () => {
  let runs = 0;
  const lifecycle = new Lifecycle(() => {});
  const ran = new Promise<void>((resolve) => {
    lifecycle.every(0.001, "count", async () => {
      runs += 1;
      resolve();
    });
  });
  await ran;
  await lifecycle.close();
  const atClose = runs;
  await new Promise(setImmediate);
  expect(runs).toBe(atClose);
});

test("can run all periodic work immediately, whatever its interval, and runs none after closing", async () => {
  const events: string[] = [];
  const lifecycle = new Lifecycle((what) => events.push(`${what} failed`));
  const first = Promise.withResolvers<void>();
  lifecycle.every(3600, "first", async () => {
    events.push("first");
    await first.promise;
  });
  lifecycle.every(3600, "second", async () => {
    events.push("second");
    first.resolve();
    throw new Error("no storage");
  });
  await lifecycle.runAll();
  expect(events).toEqual(["first", "second", "second failed"]);
  await lifecycle.close();
  await lifecycle.runAll();
  expect(events).toHaveLength(3);
});
