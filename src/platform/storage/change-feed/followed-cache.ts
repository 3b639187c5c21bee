import type { ChangeFeed } from "../change-feed.ts";
import { StorageUnavailable } from "../errors.ts";

/** A bounded store in memory, which may evict any entry. */
interface Entries<Key, Value> {
  /** Returns the value with the stamp under which it was set. */
  find(key: Key): { readonly value: Value; readonly stamp: number } | undefined;
  set(key: Key, value: Value, stamp: number): void;
  delete(key: Key): void;
  clear(): void;
  readonly size: number;
}

/** Beyond this number of evicted groups, clearing the cache is cheaper than looking them up. */
const maxEvictedGroups = 50_000;

/**
 * Caches rows of storage until the change feed evicts them. Cached rows are used only while the feed is followed.
 * Owners subscribe to the feed to evict.
 */
export class FollowedCache<Value extends object, Key = string> {
  /** Values of these groups are valid only if they were cached after the stamp. */
  readonly #evictedGroups = new Map<string, number>();
  /** Counts the values that were cached. */
  #stamp = 0;
  #evictions = 0;
  hits = 0;
  misses = 0;

  /** Values of one group can be evicted together without knowing their keys. */
  constructor(
    private readonly feed: ChangeFeed,
    private readonly entries: Entries<Key, Value>,
    private readonly groupOf?: (value: Value) => string,
  ) {}

  /** Returns the cached value if it is valid without a query. */
  peek(key: Key): Value | undefined {
    const value = this.#remembered(key);
    if (value === undefined) return undefined;
    const trust = this.feed.trust();
    if (trust !== "fresh" && trust !== "away") return undefined;
    this.hits += 1;
    return value;
  }

  /** Reads storage after `peek` returned nothing, and falls back to the cached value while storage is unavailable. */
  async load(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    this.misses += 1;
    const evictions = this.#evictions;
    try {
      const value = await read();
      if (value === undefined) this.entries.delete(key);
      // An eviction during the read may concern this value: the value is returned, but not cached.
      else if (evictions === this.#evictions) this.entries.set(key, value, ++this.#stamp);
      return value;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      const known = this.#remembered(key);
      if (known === undefined || this.feed.trust() === "lost") throw error;
      return known;
    }
  }

  async get(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    return this.peek(key) ?? this.load(key, read);
  }

  evict(key: Key): void {
    this.#evictions += 1;
    this.entries.delete(key);
  }

  evictGroup(group: string): void {
    if (this.#evictedGroups.size >= maxEvictedGroups) this.clear();
    this.#evictions += 1;
    this.#evictedGroups.set(group, this.#stamp);
  }

  clear(): void {
    this.#evictions += 1;
    this.entries.clear();
    this.#evictedGroups.clear();
  }

  get size(): number {
    return this.entries.size;
  }

  #remembered(key: Key): Value | undefined {
    const entry = this.entries.find(key);
    if (entry === undefined) return undefined;
    if (this.#evictedGroups.size > 0 && this.groupOf) {
      const evicted = this.#evictedGroups.get(this.groupOf(entry.value));
      if (evicted !== undefined && entry.stamp <= evicted) {
        this.entries.delete(key);
        return undefined;
      }
    }
    return entry.value;
  }
}
