/** One page, as the server returns it. */
export interface Page<Item> {
  data: Item[];
  limit: number;
  offset: number;
  /** How many there are on all pages together. */
  total: number;
}

export interface PageOptions {
  /** How many a page holds, at most 1000. */
  limit?: number;
  /** How many to leave out first. */
  offset?: number;
}

/**
 * All things that a list holds, requested page by page as the loop gets there. Pages are counted from the beginning of the
 * list: to delete items in a loop, read them with `all()` first, because deleting shifts the pages and skips items.
 *
 * @example
 * ```ts
 * for await (const consumer of client.consumers("main").list({ tag: { plan: "gold" } })) console.log(consumer.name);
 * ```
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: (offset: number | undefined) => Promise<Page<Item>>;
  readonly #offset: number | undefined;

  constructor(fetch: (offset: number | undefined) => Promise<Page<Item>>, offset: number | undefined) {
    this.#fetch = fetch;
    this.#offset = offset;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let offset = this.#offset;
    for (;;) {
      const page = await this.#fetch(offset);
      yield* page.data;
      offset = page.offset + page.data.length;
      if (page.data.length === 0 || offset >= page.total) return;
    }
  }

  /**
   * The first page alone, with the number of all.
   *
   * @example
   * ```ts
   * const { data, total } = await client.consumers("main").list({ limit: 20, offset: 40 }).page();
   * console.log(`${data.length} of ${total}`);
   * ```
   */
  page(): Promise<Page<Item>> {
    return this.#fetch(this.#offset);
  }

  /**
   * Everything in one array.
   *
   * @example
   * ```ts
   * const buckets = await client.buckets.list().all();
   * ```
   */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
