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

/** Beyond this number of evicted or outdated groups, clearing the cache is cheaper than looking them up. */
const maxGroups = 50_000;
/** How long a cached value waits for storage that is slow. */
const slowMilliseconds = 200;

/**
 * Caches rows of storage until the change feed evicts them. Cached rows are used only while the feed is followed.
 * Owners subscribe to the feed: they evict what a change may have revoked, and outdate the rest. Outdated values are
 * used only while storage is unavailable.
 */
export class FollowedCache<Value extends object, Key = string> {
  /** Values of these groups are valid only if they were cached after the stamp. */
  readonly #evictedGroups = new Map<string, number>();
  readonly #outdatedGroups = new Map<string, number>();
  /** All values that were cached before are outdated. */
  #outdatedUntil = 0;
  /** Counts the values that were cached. */
  #stamp = 0;
  #evictions = 0;
  /** Reads that no change has overtaken. */
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  hits = 0;
  misses = 0;

  /** Values of one group can be evicted together without knowing their keys. */
  constructor(
    private readonly feed: ChangeFeed,
    private readonly entries: Entries<Key, Value>,
    private readonly groupOf?: (value: Value) => string,
    private readonly idOf: (key: Key) => string = String,
  ) {}

  /** Returns the cached value if it is valid without a query. */
  peek(key: Key): Value | undefined {
    const entry = this.#find(key);
    if (entry === undefined) return undefined;
    const trust = this.feed.trust();
    if (trust !== "away" && trust !== "copied" && (trust !== "fresh" || this.#isOutdated(entry))) return undefined;
    this.hits += 1;
    return entry.value;
  }

  /**
   * Reads storage after `peek` returned nothing, and falls back to the cached value while storage is unavailable, or soon
   * if it is slow.
   */
  async load(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    this.misses += 1;
    const reading = this.#readOnce(key, read);
    if (this.feed.trust() === "slow" && this.#current(key) && (await isSlow(reading))) {
      const known = this.#current(key);
      if (known) return known.value;
    }
    try {
      const value = await reading;
      if (value === undefined && this.feed.trust() === "copied") throw new StorageUnavailable("it is not in the copy");
      return value;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      const known = this.#find(key)?.value;
      if (known === undefined || this.feed.trust() === "lost") throw error;
      return known;
    }
  }

  async get(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    return this.peek(key) ?? this.load(key, read);
  }

  /** Caches a value that was read since `evictions` were counted. */
  keep(key: Key, value: Value, evictions: number): void {
    // An eviction during the read may concern this value.
    if (evictions === this.#evictions) this.entries.set(key, value, ++this.#stamp);
  }

  evict(key: Key): void {
    this.#changed();
    this.entries.delete(key);
  }

  evictGroup(group: string): void {
    this.#changeGroup(this.#evictedGroups, group);
  }

  outdateGroup(group: string): void {
    this.#changeGroup(this.#outdatedGroups, group);
  }

  /** For changes that were missed. */
  outdate(): void {
    this.#changed();
    this.#outdatedUntil = this.#stamp;
  }

  clear(): void {
    this.#changed();
    this.entries.clear();
    this.#evictedGroups.clear();
    this.#outdatedGroups.clear();
  }

  get size(): number {
    return this.entries.size;
  }

  get evictions(): number {
    return this.#evictions;
  }

  has(key: Key): boolean {
    return this.#find(key) !== undefined;
  }

  #changed(): void {
    this.#evictions += 1;
    this.#loading.clear();
  }

  #changeGroup(groups: Map<string, number>, group: string): void {
    if (groups.size >= maxGroups) this.clear();
    this.#changed();
    groups.set(group, this.#stamp);
  }

  /** Concurrent requests share a read that began after the last change. */
  #readOnce(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const id = this.idOf(key);
    const found = this.#loading.get(id);
    if (found) return found;
    const evictions = this.#evictions;
    const reading = read()
      .then((value) => {
        if (value === undefined) this.entries.delete(key);
        else this.keep(key, value, evictions);
        return value;
      })
      .finally(() => {
        if (this.#loading.get(id) === reading) this.#loading.delete(id);
      });
    this.#loading.set(id, reading);
    return reading;
  }

  #current(key: Key) {
    const entry = this.#find(key);
    return entry && !this.#isOutdated(entry) ? entry : undefined;
  }

  #isOutdated({ value, stamp }: { value: Value; stamp: number }): boolean {
    if (stamp <= this.#outdatedUntil) return true;
    if (this.#outdatedGroups.size === 0 || !this.groupOf) return false;
    const outdated = this.#outdatedGroups.get(this.groupOf(value));
    return outdated !== undefined && stamp <= outdated;
  }

  #find(key: Key) {
    const entry = this.entries.find(key);
    if (entry === undefined) return undefined;
    if (this.#evictedGroups.size > 0 && this.groupOf) {
      const evicted = this.#evictedGroups.get(this.groupOf(entry.value));
      if (evicted !== undefined && entry.stamp <= evicted) {
        this.entries.delete(key);
        return undefined;
      }
    }
    return entry;
  }
}

async function isSlow(reading: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), slowMilliseconds);
  const done = () => resolve(false);
  reading.then(done, done);
  const slow = await promise;
  clearTimeout(timer);
  return slow;
}
