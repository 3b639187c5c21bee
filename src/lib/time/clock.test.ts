import { expect, test } from "bun:test";
import { SharedClock } from "./clock.ts";

test("a shared clock differs from the own one only as far as the other time is known to", () => {
  let own = 1_000_000;
  const clock = new SharedClock({ now: () => own });
  // The own time was between 999,960 and 1,000,000 then.
  clock.observe(999_990, 40);
  expect(clock.now()).toBe(own);
  // The own clock is 300 s ahead.
  own = 1_300_050;
  clock.observe(1_000_050, 10);
  expect(clock.now()).toBe(1_000_060);
  clock.observe(1_000_055, 2);
  expect(clock.now()).toBe(1_000_057);
  own -= 600_000;
  clock.observe(1_000_057, 0);
  expect(clock.now()).toBe(1_000_057);
});
