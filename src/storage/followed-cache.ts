import { GenerationCache } from "../lib/generation-cache.ts";
import { storageUnavailable } from "../problems/problem.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { isUnavailableProblem } from "./errors.ts";

interface Entry<Value> {
  value: Value;
  group: object | undefined;
}

interface CacheOptions<Value> {
  maximumBytes: number;
  bytesOf(value: Value): number;
  /** Values of one group can be evicted together, without knowing their keys. */
  groupOf?(value: Value): string;
}

const groupBytes = 120;

/**
 * What storage said, remembered until the change feed says otherwise, and believed only as far as that feed
 * is followed. Owners evict by subscribing to the feed.
 */
export class FollowedCache<Value extends object> {
  readonly #entries: GenerationCache<Entry<Value>>;
  /** An entry counts only while its group is the very object it was stored with. */
  readonly #groups: GenerationCache<object>;
  #evictions = 0;
  hits = 0;
  misses = 0;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly options: CacheOptions<Value>,
  ) {
    this.#entries = new GenerationCache(options.maximumBytes, (entry) => options.bytesOf(entry.value));
    this.#groups = new GenerationCache(options.maximumBytes, () => groupBytes);
  }

  /** The remembered value if it can be believed without asking storage. */
  peek(key: string): Value | undefined {
    const value = this.#remembered(key);
    if (value === undefined) return undefined;
    const trust = this.feed.trust();
    if (trust !== "fresh" && trust !== "away") return undefined;
    this.hits += 1;
    return value;
  }

  /** After peek found nothing: asks storage, and falls back on what is known while storage is away. */
  async load(key: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    this.misses += 1;
    const evictions = this.#evictions;
    try {
      const value = await ask();
      if (value === undefined) this.#entries.delete(key);
      // An eviction during the read may have been about this very value: then it is used, not remembered.
      else if (evictions === this.#evictions) this.#remember(key, value);
      return value;
    } catch (error) {
      if (!isUnavailableProblem(error)) throw error;
      const known = this.#remembered(key);
      if (known === undefined || this.feed.trust() === "lost") throw storageUnavailable(error);
      return known;
    }
  }

  async get(key: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    return this.peek(key) ?? this.load(key, ask);
  }

  evict(key: string): void {
    this.#evictions += 1;
    this.#entries.delete(key);
  }

  evictGroup(group: string): void {
    this.#evictions += 1;
    this.#groups.delete(group);
  }

  clear(): void {
    this.#evictions += 1;
    this.#entries.clear();
    this.#groups.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  #remembered(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.group !== undefined && this.#groups.get(this.options.groupOf!(entry.value)) !== entry.group)
      return undefined;
    return entry.value;
  }

  #remember(key: string, value: Value): void {
    let group: object | undefined;
    if (this.options.groupOf) {
      const name = this.options.groupOf(value);
      group = this.#groups.get(name) ?? {};
      this.#groups.set(name, group);
    }
    this.#entries.set(key, { value, group });
  }
}
