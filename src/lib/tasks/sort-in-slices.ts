import { Slice } from "./slices.ts";

/** Sorting this many items takes less than a slice. */
const runLength = 2_000;

/** Returns the items in order, without blocking the event loop: sorting a million at once takes a second. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<Item[]> {
  const slice = new Slice();
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare));
    if (slice.isOver) await slice.next();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(
        index + 1 === runs.length ? runs[index]! : await merge(runs[index]!, runs[index + 1]!, compare, slice),
      );
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: Item[],
  right: Item[],
  compare: (one: Item, other: Item) => number,
  slice: Slice,
): Promise<Item[]> {
  const merged: Item[] = [];
  for (let [one, other] = [0, 0]; one < left.length || other < right.length; ) {
    const isLeft = other === right.length || (one < left.length && compare(left[one]!, right[other]!) <= 0);
    merged.push(isLeft ? left[one++]! : right[other++]!);
    if (merged.length % runLength === 0 && slice.isOver) await slice.next();
  }
  return merged;
}
