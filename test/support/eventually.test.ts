import { expect, test } from "bun:test";
import { eventually } from "./eventually.ts";

test("reads until the matcher accepts the value", async () => {
  let reads = 0;
  await eventually(async () => ++reads).toBe(3);
  expect(reads).toBe(3);
});

test("negated, it reads until the matcher rejects the value", async () => {
  let reads = 0;
  await eventually(() => ++reads).not.toBe(1);
  expect(reads).toBe(2);
});

test("an error of the read is repeated too", async () => {
  let reads = 0;
  await eventually(() => {
    if (++reads < 3) throw new Error("not loaded yet");
    return reads;
  }).toBe(3);
});

test("fails with the error of the matcher, or of the read, when the time is over", async () => {
  await expect(eventually(() => "old", { withinMs: 1 }).toBe("new")).rejects.toThrow("new");
  await expect(eventually(() => Promise.reject(new Error("no such element")), { withinMs: 1 }).toBe(1)).rejects.toThrow(
    "no such element",
  );
});
