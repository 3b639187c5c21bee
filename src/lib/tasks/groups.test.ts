import { expect, test } from "bun:test";
import { Groups } from "./groups.ts";

test("items that arrive together are one group, items that arrive during its run are the next, and groups are bounded", async () => {
  const served: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    const items = await take();
    served.push(items);
    return items.map((item) => item * 10);
  }, 3);
  const outcomes = await Promise.all([1, 2, 3, 4].map((item) => groups.add(item)));
  expect(outcomes).toEqual([10, 20, 30, 40]);
  expect(served).toEqual([[1, 2, 3], [4]]);
  expect(await groups.add(5)).toBe(50);
});

test("items that arrive before the work takes its group join it, and a retry takes the same group", async () => {
  const hasBegun = Promise.withResolvers<void>();
  const isReady = Promise.withResolvers<void>();
  const hasTaken = Promise.withResolvers<void>();
  const startsAgain = Promise.withResolvers<void>();
  const taken: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    hasBegun.resolve();
    await isReady.promise;
    taken.push(await take());
    hasTaken.resolve();
    await startsAgain.promise;
    taken.push(await take());
    return take();
  }, 3);
  const outcomes = [groups.add(1)];
  await hasBegun.promise;
  outcomes.push(groups.add(2));
  isReady.resolve();
  await hasTaken.promise;
  outcomes.push(groups.add(3));
  startsAgain.resolve();
  expect(await Promise.all(outcomes)).toEqual([1, 2, 3]);
  expect(taken).toEqual([[1, 2], [1, 2], [3], [3]]);
});

test("items that arrive in consecutive turns of the event loop are one group", async () => {
  const served: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    served.push(await take());
    return take();
  }, 10);
  const outcomes: Promise<number>[] = [];
  for (const item of [1, 2, 3]) {
    outcomes.push(groups.add(item));
    await new Promise(setImmediate);
  }
  await Promise.all(outcomes);
  expect(served).toEqual([[1, 2, 3]]);
});

test("work that fails before it takes its group fails its first items, and not those that arrived since", async () => {
  const isStarted = Promise.withResolvers<void>();
  const isReady = Promise.withResolvers<void>();
  let failures = 1;
  const groups = new Groups<number, number>(async (take) => {
    isStarted.resolve();
    await isReady.promise;
    if (failures-- > 0) throw new Error("no connection");
    return take();
  }, 5);
  const outcomes = [1, 2].map((item) => groups.add(item));
  await isStarted.promise;
  outcomes.push(groups.add(3));
  isReady.resolve();
  const settled = await Promise.allSettled(outcomes);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("an error for one item does not fail the others; a failure of the work fails only its group", async () => {
  const groups = new Groups<string, string>(async (take) => {
    const items = await take();
    if (items.includes("broken")) throw new Error("all of them");
    return items.map((item) => (item === "wrong" ? new Error("only this one") : item));
  }, 2);
  const settled = await Promise.allSettled(
    ["good", "wrong", "broken", "beside it", "later"].map((item) => groups.add(item)),
  );
  expect(settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message))).toEqual([
    "good",
    "only this one",
    "all of them",
    "all of them",
    "later",
  ]);
});

test("items that have waited for long while a group failed fail too, instead of waiting for another one", async () => {
  const isStarted = Promise.withResolvers<void>();
  const fails = Promise.withResolvers<void>();
  let runs = 0;
  const work = async (take: () => Promise<number[]>) => {
    await take();
    runs += 1;
    isStarted.resolve();
    await fails.promise;
    throw new Error("no response");
  };
  const groups = new Groups<number, number>(work, 1, undefined, -1);
  const outcomes = [groups.add(1)];
  await isStarted.promise;
  outcomes.push(groups.add(2), groups.add(3));
  fails.resolve();
  const settled = await Promise.allSettled(outcomes);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(runs).toBe(1);
});
