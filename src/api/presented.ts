/**
 * Items of a list that are presented one by one while they are serialized. Rows with large JSON columns would otherwise
 * be parsed all at once, and be in memory twice.
 */
export class Presented<Item> implements Iterable<Item> {
  readonly length: number;
  readonly #items: () => Iterator<Item>;

  private constructor(length: number, items: () => Iterator<Item>) {
    this.length = length;
    this.#items = items;
  }

  static from<Row, Item>(rows: readonly Row[], present: (row: Row, index: number) => Item): Presented<Item> {
    return new Presented(rows.length, () => rows.values().map(present));
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items();
  }
}

/** Returns a page with its rows presented. */
export function presentPage<Row, Item>(
  { data, total }: { data: readonly Row[]; total: number },
  present: (row: Row, index: number) => Item,
): { data: Presented<Item>; total: number } {
  return { data: Presented.from(data, present), total };
}
