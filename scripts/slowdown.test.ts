import { expect, test } from "bun:test";
import { measureSlowdown } from "./slowdown.ts";

test("the slowdown is a factor from 1 to 10", async () => {
  const slowdown = await measureSlowdown();
  expect(slowdown).toBeGreaterThanOrEqual(1);
  expect(slowdown).toBeLessThanOrEqual(10);
});
