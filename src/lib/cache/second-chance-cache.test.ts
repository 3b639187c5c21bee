import { expect, test } from "bun:test";
import fc from "fast-check";
import { SecondChanceCache } from "./second-chance-cache.ts";

interface Sized {
  bytes: number;
}

const maximumBytes = 100;
const maxValueSize = 20;
const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
const keys = fc.constantFrom(...names);

type Step = { kind: "set"; key: string; bytes: number } | { kind: "get" | "delete"; key: string } | { kind: "clear" };

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("set" as const), key: keys, bytes: fc.nat(maxValueSize) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("get" as const, "delete" as const), key: keys }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
  ),
  { maxLength: 200 },
);

function newCache() {
  return new SecondChanceCache<Sized>(maximumBytes, (value) => value.bytes);
}

test("get returns the value that was set last or undefined, never a deleted one", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const cache = newCache();
      const model = new Map<string, Sized>();
      for (const step of all) {
        apply(cache, model, step);
        for (const key of names) {
          const value = cache.get(key);
          if (value !== undefined) expect(value).toBe(model.get(key)!);
        }
      }
    }),
  );
});

test("the cache stays within its bytes, however values grow, shrink and are deleted", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const cache = newCache();
      for (const step of all) apply(cache, new Map(), step);
      for (const key of names) cache.delete(key);
      for (let index = 0; index < 50; index++) {
        cache.set(`filler ${index}`, { bytes: 10 });
        expect(cache.size * 10).toBeLessThanOrEqual(maximumBytes);
      }
    }),
    { numRuns: 500 },
  );
});

test("the size of keys counts too", () => {
  const cache = newCache();
  for (let index = 0; index < 50; index++) {
    cache.set(`${index}`.padStart(20), { bytes: 1 });
    expect(cache.bytes).toBeLessThanOrEqual(maximumBytes);
  }
  expect(cache.size).toBe(2);
});

test("a key that is read stays, one that is not read is evicted", () => {
  const cache = newCache();
  cache.set("wanted", { bytes: 10 });
  cache.set("unwanted", { bytes: 10 });
  for (let index = 0; index < 100; index++) {
    cache.set(`filler ${index}`, { bytes: 10 });
    expect(cache.get("wanted")).toEqual({ bytes: 10 });
  }
  expect(cache.get("unwanted")).toBeUndefined();
});

test("a value larger than the whole cache is cached alone, and evicted when it is not read", () => {
  const cache = newCache();
  cache.set("huge", { bytes: 10 * maximumBytes });
  expect(cache.size).toBe(1);
  cache.set("other", { bytes: 10 * maximumBytes });
  expect(cache.get("huge")).toBeUndefined();
  expect(cache.size).toBe(1);
});

function apply(cache: SecondChanceCache<Sized>, model: Map<string, Sized>, step: Step): void {
  if (step.kind === "set") {
    const value = { bytes: step.bytes };
    cache.set(step.key, value);
    model.set(step.key, value);
  } else if (step.kind === "get") {
    cache.get(step.key);
  } else if (step.kind === "delete") {
    cache.delete(step.key);
    model.delete(step.key);
  } else {
    cache.clear();
    model.clear();
  }
}

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])("a size of %p is an error, and nothing is cached", (bytes) => {
  const cache = newCache();
  expect(() => cache.set("key", { bytes })).toThrow(`The size of a cache entry is ${bytes}.`);
  expect(cache.size).toBe(0);
});
