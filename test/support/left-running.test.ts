import { expect, test } from "bun:test";
import { failIfAnythingRuns, started, stopped } from "./left-running.ts";

test("stopped work is not a failure", () => {
  const thing = {};
  started(thing, "A server");
  stopped(thing);
  failIfAnythingRuns();
});

test("work that was not stopped fails once, with the stack of its start", () => {
  started({}, "A server");
  expect(failIfAnythingRuns).toThrow(/A server was started and never stopped.*left-running\.test\.ts/s);
  failIfAnythingRuns();
});
