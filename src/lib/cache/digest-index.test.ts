import { expect, test } from "bun:test";
import { DigestIndex } from "./digest-index.ts";

const capacity = 8;

/** An index that is filled until a single slot is free. */
function crowded(tag: number): DigestIndex {
  const index = new DigestIndex(capacity);
  for (let line = 0; line < capacity - 1; line++) index.add(tag, line);
  return index;
}

test("a search ends at a free slot, however few there are", () => {
  const index = crowded(7);
  expect(index.first(8)).toBe(-1);
  let slot = index.first(7);
  const lines: number[] = [];
  for (; slot >= 0; slot = index.next(slot, 7)) lines.push(index.lineIn(slot));
  expect(lines.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("an entry that does not fit is not added", () => {
  const index = crowded(7);
  expect(() => index.add(7, 100)).toThrow("full");
  expect(index.size).toBe(capacity - 1);
});

test("looking for a line that is not in the index throws instead of searching forever", () => {
  const index = new DigestIndex(capacity);
  expect(() => index.find(7, 0)).toThrow("line 0 is not in it");
  index.add(7, 1);
  expect(() => index.find(7, 0)).toThrow("line 0 is not in it");
  expect(() => crowded(7).find(7, 100)).toThrow("line 100 is not in it");
});

test("an entry cannot be removed twice", () => {
  const index = new DigestIndex(capacity);
  index.add(7, 1);
  const slot = index.find(7, 1);
  index.remove(slot);
  expect(() => index.remove(slot)).toThrow("not in it");
  expect(() => index.remove(-1)).toThrow("not in it");
  expect(index.size).toBe(0);
});

test("an index whose last free slot was overwritten throws", () => {
  const index = crowded(7);
  for (let slot = 0; slot < capacity; slot++) index.place(slot, slot);
  expect(() => index.first(8)).toThrow("no slot is free");
  expect(() => index.find(7, 100)).toThrow("corrupt");
  index.remove(0);
});
