import { expect, test } from "bun:test";
import { sortInSlices } from "./sort-in-slices.ts";

const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;

test("items are sorted as by sort, equal ones in their order", async () => {
  for (const count of [0, 1, 2_000, 2_001, 9_999]) {
    const items = Array.from({ length: count }, (_, index) => ({ key: (index * 7919) % 101, index }));
    expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
  }
});
