import { expect, test } from "bun:test";
import fc from "fast-check";
import { Digest } from "./digest.ts";
import { type CachedText, TextCache } from "./text-cache.ts";

const segmentBytes = 4096;
const segments = 4;
const maxLabelLength = 7;
const headerBytes = 72;
const maxTextLength = segmentBytes / 2 - headerBytes - maxLabelLength;

interface Place {
  key: string;
  scope: number;
}

const places = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  scope: fc.constantFrom(1, 2, 2 ** 32 - 1),
});
const everyPlace = ["a", "b", "c", "d", "e", "f"].flatMap((key) =>
  [1, 2, 2 ** 32 - 1].map((scope): Place => ({ key, scope })),
);

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("set" as const), place: places, length: fc.nat(maxTextLength) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("get" as const, "delete" as const), place: places }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("fill" as const), count: fc.nat(200) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
  ),
  { maxLength: 100 },
);

function digestOf(key: string): Digest {
  const digest = new Digest();
  digest.become(key);
  return digest;
}

function newCache() {
  return new TextCache(segments * segmentBytes, segmentBytes);
}

function read(cache: TextCache, key: string, scope: number): CachedText | undefined {
  const found = cache.get(digestOf(key), scope);
  if (!found) return undefined;
  const { text, label, number, stamp, mark, reference, extra } = found;
  return { text, label, number, stamp, mark, reference, ...(extra && { extra: Buffer.from(extra) }) };
}

function value(stamp: number, length = 100): CachedText {
  const character = String.fromCharCode(33 + (stamp % 90));
  const extra = length > 0 && length % 3 === 0 ? Buffer.alloc(length % 7, stamp & 255) : undefined;
  const label = String(stamp).slice(0, length % 8);
  return {
    text: character.repeat(length - (extra?.length ?? 0)),
    label,
    number: stamp / 3,
    stamp,
    mark: (stamp * 1_000_003) % 2 ** 30,
    reference: stamp * 2 ** 20,
    ...(extra && extra.length > 0 && { extra }),
  };
}

test("find returns the text that was set last or undefined, never a deleted one", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const cache = newCache();
      const model = new Map<string, CachedText>();
      let stamp = 0;
      for (const step of all) {
        stamp += 1000;
        if (step.kind === "set") {
          const { key, scope } = step.place;
          cache.set(digestOf(key), scope, value(stamp, step.length));
          model.set(`${key} ${scope}`, value(stamp, step.length));
          expect(read(cache, key, scope)).toEqual(value(stamp, step.length));
        } else if (step.kind === "get") {
          cache.get(digestOf(step.place.key), step.place.scope);
        } else if (step.kind === "delete") {
          cache.delete(digestOf(step.place.key), step.place.scope);
          model.delete(`${step.place.key} ${step.place.scope}`);
        } else if (step.kind === "fill") {
          for (let index = 0; index < step.count; index++)
            cache.set(digestOf(`filler ${index}`), 1, value(stamp + index, 150));
        } else {
          cache.clear();
          model.clear();
          expect(cache.size).toBe(0);
        }
      }
      for (const { key, scope } of everyPlace) {
        const found = read(cache, key, scope);
        if (found) expect(found).toEqual(model.get(`${key} ${scope}`)!);
      }
    }),
  );
});

test("among many texts each is found as it was set, and all can be deleted one by one", () => {
  const cache = new TextCache(8 * 1024 * 1024);
  const count = 10_000;
  for (let index = 0; index < count; index++) cache.set(digestOf(`key ${index}`), 7, value(index));
  expect(cache.size).toBe(count);
  for (let index = 0; index < count; index++) {
    expect(read(cache, `key ${index}`, 7)).toEqual(value(index));
    expect(read(cache, `key ${index}`, 8)).toBeUndefined();
  }
  for (let index = 0; index < count; index += 2) cache.delete(digestOf(`key ${index}`), 7);
  for (let index = 0; index < count; index++)
    expect(read(cache, `key ${index}`, 7)?.stamp).toBe(index % 2 ? index : undefined);
  for (let index = 1; index < count; index += 2) cache.delete(digestOf(`key ${index}`), 7);
  expect(cache.size).toBe(0);
});

test("the cache stays within its bytes, and uses nearly all of them", () => {
  const cache = newCache();
  const recordBytes = 64 + 128;
  for (let index = 0; index < 1000; index++) {
    cache.set(digestOf(`key ${index}`), 1, value(index));
    expect(cache.size * recordBytes).toBeLessThanOrEqual(segments * segmentBytes);
  }
  expect(cache.size * recordBytes).toBeGreaterThan((segments - 1) * segmentBytes * 0.9);
});

test("a text that is read stays, one that is not read is evicted", () => {
  const cache = newCache();
  cache.set(digestOf("wanted"), 1, value(1));
  cache.set(digestOf("unwanted"), 1, value(2));
  for (let index = 0; index < 500; index++) {
    cache.set(digestOf(`filler ${index}`), 1, value(index));
    expect(read(cache, "wanted", 1)).toEqual(value(1));
  }
  expect(read(cache, "unwanted", 1)).toBeUndefined();
});

test("when every text is read, a new text is still cached", () => {
  const cache = newCache();
  for (let index = 0; index < 500; index++) {
    cache.set(digestOf(`key ${index}`), 1, value(index));
    for (let earlier = 0; earlier <= index; earlier++) cache.get(digestOf(`key ${earlier}`), 1);
    expect(read(cache, `key ${index}`, 1)).toEqual(value(index));
  }
});

test("a text too long for a segment, or with a scope too large for a word, is not cached, and deletes the former text", () => {
  const cache = newCache();
  cache.set(digestOf("long"), 1, value(1));
  cache.set(digestOf("long"), 1, value(2, maxTextLength + maxLabelLength + 1));
  expect(read(cache, "long", 1)).toBeUndefined();
  cache.set(digestOf("far"), 1, value(1));
  cache.set(digestOf("far"), 2 ** 32 + 1, value(2));
  expect(read(cache, "far", 2 ** 32 + 1)).toBeUndefined();
  expect(read(cache, "far", 1)).toEqual(value(1));
});

test("a hit returns its text until it is evicted, and never the text that replaced it", () => {
  const cache = newCache();
  cache.set(digestOf("first"), 1, value(1));
  const found = cache.get(digestOf("first"), 1)!;
  cache.delete(digestOf("first"), 1);
  expect(found.text).toBe(value(1).text);
  for (let index = 2; index < 500; index++) cache.set(digestOf(`filler ${index}`), 1, value(index));
  expect(() => found.text).toThrow("evicted");
  expect(() => found.label).toThrow("evicted");
});

test("a text keeps its mark when it gets a second chance, and a new text has its own mark", () => {
  const cache = newCache();
  const digest = digestOf("wanted");
  cache.set(digest, 1, value(1));
  cache.get(digest, 1)!.mark = 2 ** 30 - 1;
  for (let index = 0; index < 500; index++) {
    cache.set(digestOf(`filler ${index}`), 1, value(index));
    expect(cache.get(digest, 1)?.mark).toBe(2 ** 30 - 1);
  }
  cache.set(digest, 1, value(2));
  expect(cache.get(digest, 1)?.mark).toBe(value(2).mark!);
  const { mark, ...unmarked } = value(3);
  cache.set(digest, 1, unmarked);
  expect(cache.get(digest, 1)?.mark).toBe(0);
});
