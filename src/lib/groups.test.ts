import { expect, test } from "bun:test";
import { Groups } from "./groups.ts";

test("what arrives together is served together, what arrives meanwhile is the next group, and no group is too large", async () => {
  const served: number[][] = [];
  const groups = new Groups<number, number>(async (items) => {
    served.push(items);
    return items.map((item) => item * 10);
  }, 3);
  const outcomes = await Promise.all([1, 2, 3, 4].map((item) => groups.add(item)));
  expect(outcomes).toEqual([10, 20, 30, 40]);
  expect(served).toEqual([[1, 2, 3], [4]]);
  expect(await groups.add(5)).toBe(50);
});

test("an error for one item does not stop the others; a failure of the work stops its group alone", async () => {
  const groups = new Groups<string, string>(async (items) => {
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
