import { describe, expect, test } from "bun:test";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { ChangeFeed, type Trust } from "../change-feed.ts";
import { StorageUnavailable } from "../errors.ts";
import { FollowedCache } from "./followed-cache.ts";

class SettableFeed extends ChangeFeed {
  state: Trust = "fresh";

  trust(): Trust {
    return this.state;
  }
}

interface Row {
  group: string;
  version: number;
}

const feed = new SettableFeed(() => {});
const unavailable = () => Promise.reject(new StorageUnavailable(new Error("away")));

function newCache(maximumBytes = 100_000) {
  feed.state = "fresh";
  return new FollowedCache<Row>(feed, new SecondChanceCache<Row>(maximumBytes, () => 100), (row) => row.group);
}

async function cacheWith(key: string, row: Row) {
  const cache = newCache();
  await cache.load(key, async () => row);
  return cache;
}

const known: Row = { group: "one", version: 1 };

describe("use of cached values by state of the feed", () => {
  const newer: Row = { group: "one", version: 2 };
  const states: Record<Trust, { withoutLookup: boolean; whileStorageFails: boolean }> = {
    fresh: { withoutLookup: true, whileStorageFails: true },
    slow: { withoutLookup: false, whileStorageFails: true },
    behind: { withoutLookup: false, whileStorageFails: true },
    away: { withoutLookup: true, whileStorageFails: true },
    copied: { withoutLookup: true, whileStorageFails: true },
    lost: { withoutLookup: false, whileStorageFails: false },
  };

  test.each(Object.entries(states))("%s", async (state, { withoutLookup, whileStorageFails }) => {
    const cache = await cacheWith("a", known);
    feed.state = state as Trust;
    expect(cache.peek("a")).toEqual(withoutLookup ? known : undefined);
    if (whileStorageFails) expect(await cache.load("a", unavailable)).toBe(known);
    else await expect(cache.load("a", unavailable)).rejects.toBeInstanceOf(StorageUnavailable);
    // A response of storage always takes precedence.
    expect(await cache.load("a", async () => newer)).toBe(newer);
  });

  test("a value that is not cached is unavailable while storage fails, in every state", async () => {
    for (const state of Object.keys(states)) {
      const cache = newCache();
      feed.state = state as Trust;
      const loading = cache.get("a", unavailable);
      await expect(loading).rejects.toBeInstanceOf(StorageUnavailable);
    }
  });

  test("what a copy of storage lacks is unavailable, and not absent", async () => {
    const cache = newCache();
    feed.state = "copied";
    await expect(cache.get("a", async () => undefined)).rejects.toBeInstanceOf(StorageUnavailable);
    feed.state = "fresh";
    expect(await cache.get("a", async () => undefined)).toBeUndefined();
  });

  test("other errors are thrown even if the value is cached", async () => {
    const cache = await cacheWith("a", known);
    const broken = cache.load("a", () => Promise.reject(new Error("broken")));
    await expect(broken).rejects.toThrow("broken");
  });
});

test("while the feed is slow, a known value does not wait for storage, and others do", async () => {
  const cache = await cacheWith("a", known);
  feed.state = "slow";
  const response = Promise.withResolvers<Row>();
  expect(await cache.load("a", () => response.promise)).toBe(known);
  const unknown = cache.load("b", () => response.promise);
  cache.evictGroup("one");
  const evicted = cache.load("a", () => response.promise);
  const newer = { group: "two", version: 2 };
  response.resolve(newer);
  expect([await unknown, await evicted]).toEqual([newer, newer]);
});

test("an outdated value is used only while storage is unavailable", async () => {
  for (const outdate of [
    (cache: FollowedCache<Row>) => cache.outdate(),
    (cache: FollowedCache<Row>) => cache.outdateGroup("one"),
  ]) {
    const cache = await cacheWith("a", known);
    outdate(cache);
    expect(cache.peek("a")).toBeUndefined();
    expect(await cache.load("a", unavailable)).toBe(known);
    feed.state = "away";
    expect(cache.peek("a")).toBe(known);
    feed.state = "lost";
    await expect(cache.load("a", unavailable)).rejects.toBeInstanceOf(StorageUnavailable);
    feed.state = "fresh";
    const newer = { ...known, version: 2 };
    expect(await cache.load("a", async () => newer)).toBe(newer);
    expect(cache.peek("a")).toBe(newer);
    outdate(cache);
    cache.evictGroup("one");
    await expect(cache.load("a", unavailable)).rejects.toBeInstanceOf(StorageUnavailable);
  }
});

test("concurrent requests share a read that began after the last change", async () => {
  const cache = newCache();
  const responses = [Promise.withResolvers<Row>(), Promise.withResolvers<Row>()];
  let reads = 0;
  const load = () => cache.load("a", () => responses[reads++]!.promise);
  const before = [load(), load()];
  cache.evict("a");
  const after = [load(), load()];
  responses[0]!.resolve(known);
  responses[1]!.resolve({ ...known, version: 2 });
  const versions = (await Promise.all([...before, ...after])).map((row) => row?.version);
  expect({ reads, versions }).toEqual({ reads: 2, versions: [1, 1, 2, 2] });
  expect(cache.peek("a")?.version).toBe(2);
});

test("storage is read once, then the cache is used, and hits and misses are counted", async () => {
  const cache = newCache();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return known;
  };
  for (let index = 0; index < 3; index++) expect(await cache.get("a", read)).toBe(known);
  expect({ reads, hits: cache.hits, misses: cache.misses, size: cache.size }).toEqual({
    reads: 1,
    hits: 2,
    misses: 1,
    size: 1,
  });
});

test("a missing row is not cached, and its cached value is deleted", async () => {
  const cache = await cacheWith("a", known);
  expect(await cache.load("a", async () => undefined)).toBeUndefined();
  expect(cache.peek("a")).toBeUndefined();
  expect(await cache.load("a", async () => known)).toBe(known);
});

describe("an eviction during a load", () => {
  const evictions: Record<string, (cache: FollowedCache<Row>) => void> = {
    "of the key": (cache) => cache.evict("a"),
    "of its group": (cache) => cache.evictGroup("one"),
    "of everything": (cache) => cache.clear(),
  };
  test.each(Object.entries(evictions))("%s: the response is used, not remembered", async (_name, evict) => {
    const cache = newCache();
    const response = Promise.withResolvers<Row>();
    const loading = cache.load("a", () => response.promise);
    evict(cache);
    response.resolve(known);
    expect(await loading).toBe(known);
    expect(cache.peek("a")).toBeUndefined();
  });
});

test("a group is evicted as a whole, without other groups, and can be cached again", async () => {
  const cache = newCache();
  for (const key of ["a", "b"]) await cache.load(key, async () => ({ group: "one", version: 1 }));
  await cache.load("c", async () => ({ group: "two", version: 1 }));
  for (const key of ["a", "b", "c"]) expect(cache.peek(key)).toBeDefined();
  cache.evictGroup("one");
  expect([cache.peek("a"), cache.peek("b"), cache.peek("c")]).toEqual([
    undefined,
    undefined,
    { group: "two", version: 1 },
  ]);

  await cache.load("a", async () => ({ group: "one", version: 2 }));
  expect(cache.peek("a")).toEqual({ group: "one", version: 2 });
  // Its sibling was evicted too, and a new object of the same group must not restore it.
  expect(cache.peek("b")).toBeUndefined();
});

test("the cache is cleared rather than growing without bound", async () => {
  const cache = newCache(2000);
  for (let index = 0; index < 1000; index++)
    await cache.load(`key ${index}`, async () => ({ ...known, group: `g${index}` }));
  expect(cache.size).toBeGreaterThan(0);
  expect(cache.size).toBeLessThanOrEqual(2000 / 100 + 2);
});
