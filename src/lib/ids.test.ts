import { expect, test } from "bun:test";
import fc from "fast-check";
import { firstIdOf, newId } from "./ids.ts";

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

test("ids follow a clock that is set back by hours, and those of each time stay in order", () => {
  const day = 24 * 60 * 60 * 1000;
  const [later, before] = [9.1e13, 9.1e13 - 400 * day];
  const pairs = Array.from({ length: 1000 }, () => [newId("key", later), newId("key", before)] as const);
  const ofBefore = pairs.map(([, id]) => id);
  expect(ofBefore.every((id) => id > firstIdOf("key", before) && id < firstIdOf("key", before + 1))).toBe(true);
  for (const ids of [pairs.map(([id]) => id), ofBefore]) expect([...ids].sort()).toEqual(ids);
  expect(newId("key", before - day) < firstIdOf("key", before)).toBe(true);
});
