import { expect, test } from "bun:test";
import { until } from "./until.ts";

test("returns the result, even if it is falsy", async () => {
  let calls = 0;
  expect(await until(() => (++calls < 3 ? undefined : 0), { withinMs: 1000 })).toBe(0);
});

test("names what it waited for", async () => {
  const never = until(async () => false, { withinMs: 1, what: "rain" });
  await expect(never).rejects.toThrow("Waited 1 ms for rain");
});
