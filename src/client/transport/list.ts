/** One page, as the server returns it. */
export interface Page<Item> {
  data: Item[];
  limit: number;
  offset: number;
  /** The number of items on all pages. */
  total: number;
  /** When the order was computed, if the list has one that is not computed for each page. */
  rankedOn?: string;
}

export interface PageOptions {
  /** The number of items per page, at most 1000. */
  limit?: number;
  /** The number of items to skip. */
  offset?: number;
}

/** Requests the page at an offset, in the order of an earlier page. */
export type FetchPage<Item> = (offset: number | undefined, rankedOn?: string) => Promise<Page<Item>>;

/**
 * All items of a list, requested page by page. Pages are counted from the beginning of the
 * list: to delete items in a loop, read them with `all()` first, because deleting shifts the pages and skips items.
 *
 * @example
 * ```ts
 * for await (const consumer of client.consumers("main").list({ tag: { plan: "gold" } })) console.log(consumer.name);
 * ```
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: FetchPage<Item>;
  readonly #offset: number | undefined;

  constructor(fetch: FetchPage<Item>, offset: number | undefined) {
    this.#fetch = fetch;
    this.#offset = offset;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let offset = this.#offset;
    for (let rankedOn: string | undefined; ; ) {
      const page = await this.#fetch(offset, rankedOn);
      yield* page.data;
      rankedOn = page.rankedOn;
      offset = page.offset + page.data.length;
      if (page.data.length === 0 || offset >= page.total) return;
    }
  }

  /**
   * The first page, with the total number of items.
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
   * All items in one array.
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
