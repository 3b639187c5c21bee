import { expect, test } from "bun:test";
import { Groups } from "./groups.ts";

test("what arrives together is served together, what arrives meanwhile is the next group, and no group is too large", async () => {
  const served: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    const items = take();
    served.push(items);
    return items.map((item) => item * 10);
  }, 3);
  const outcomes = await Promise.all([1, 2, 3, 4].map((item) => groups.add(item)));
  expect(outcomes).toEqual([10, 20, 30, 40]);
  expect(served).toEqual([[1, 2, 3], [4]]);
  expect(await groups.add(5)).toBe(50);
});

test("what arrives before the work takes its group joins it, and work that starts again takes the same group", async () => {
  const isReady = Promise.withResolvers<void>();
  const taken: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    await isReady.promise;
    taken.push(take());
    await new Promise(setImmediate);
    taken.push(take());
    return take();
  }, 3);
  const outcomes = [groups.add(1)];
  // A turn later than the first, when its group has settled.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  outcomes.push(groups.add(2));
  isReady.resolve();
  await new Promise(setImmediate);
  outcomes.push(groups.add(3));
  expect(await Promise.all(outcomes)).toEqual([1, 2, 3]);
  expect(taken).toEqual([[1, 2], [1, 2], [3], [3]]);
});

test("items that arrive turn after turn are one group", async () => {
  const served: number[][] = [];
  const groups = new Groups<number, number>(async (take) => {
    served.push(take());
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

test("work that fails before it takes its group fails what waits, and the next group runs", async () => {
  let failures = 1;
  const groups = new Groups<number, number>(async (take) => {
    if (failures-- > 0) throw new Error("no connection");
    return take();
  }, 2);
  const settled = await Promise.allSettled([1, 2, 3].map((item) => groups.add(item)));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("an error for one item does not stop the others; a failure of the work stops its group alone", async () => {
  const groups = new Groups<string, string>(async (take) => {
    const items = take();
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
