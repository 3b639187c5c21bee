import { expect, test } from "bun:test";
import fc from "fast-check";
import { newId } from "./ids.ts";

test("an id is its prefix and 24 base62 characters", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8e13 }), (now) => {
      expect(newId("csmr", now)).toMatch(/^csmr_[0-9A-Za-z]{24}$/);
    }),
  );
});

test("ids sort in the order of creation, also within a millisecond and when the clock steps back", () => {
  const start = 9e13;
  const ids = Array.from({ length: 5000 }, (_, i) => newId("key", start + Math.floor(i / 1000) - (i % 7)));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
