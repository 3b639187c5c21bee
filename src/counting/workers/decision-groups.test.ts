import { expect, test } from "bun:test";
import { DecisionGroups } from "./counted-worker.ts";

const isTrue = (result: boolean) => result;

test("a decision is made if those before it let the request continue", () => {
  const groups = new DecisionGroups();
  expect(groups.decide(1, () => true, isTrue)).toBe(true);
  expect(groups.decide(1, () => false, isTrue)).toBe(false);
  const made: string[] = [];
  const make = () => made.push("third") > 0;
  expect(groups.decide(1, make, isTrue)).toBeNull();
  expect(groups.decide(2, make, isTrue)).toBe(true);
  expect(groups.decide(0, make, isTrue)).toBe(true);
  expect(made).toHaveLength(2);
});

test.each([
  [true, true],
  [false, null],
])("a decision waits for one before it that takes time and is %p", async (first, second) => {
  const groups = new DecisionGroups();
  const waiting = Promise.withResolvers<boolean>();
  const made: string[] = [];
  const one = groups.decide(1, () => waiting.promise, isTrue);
  const other = groups.decide(1, () => made.push("other") > 0, isTrue);
  // Another request does not wait.
  expect(groups.decide(2, () => true, isTrue)).toBe(true);
  expect(made).toEqual([]);
  waiting.resolve(first);
  expect(await one).toBe(first);
  expect(await other).toBe(second);
});

test("a decision that fails ends the request", async () => {
  const groups = new DecisionGroups();
  const failing = groups.decide<boolean>(1, () => Promise.reject(new Error("storage")), isTrue);
  const next = groups.decide(1, () => true, isTrue);
  await expect(failing).rejects.toThrow("storage");
  expect(await next).toBeNull();
});
