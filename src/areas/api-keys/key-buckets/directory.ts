import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import { findKeyBucket, findKeyBucketIfAny, type KeyBucket } from "./key-buckets.ts";

const maximumBytes = 8 * 1024 * 1024;
const entryBytes = 600;

/** The account and name of a bucket, with its key in the cache. */
export interface KeyBucketPlace {
  readonly accountSeq: number;
  readonly name: string;
  readonly cacheKey: string;
}

/** Caches buckets by name: the hot path needs the bucket of every key. */
export class KeyBucketDirectory {
  readonly cache: FollowedCache<KeyBucket>;

  constructor(private readonly storage: Storage) {
    this.cache = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    const evict = ({ accountSeq, data }: Change<"bucket.updated" | "bucket.marked" | "bucket.deleted">) =>
      this.cache.evict(cacheKeyOf(accountSeq!, data.name));
    storage.feed.follow("buckets", { "bucket.updated": evict, "bucket.marked": evict, "bucket.deleted": evict }, () =>
      this.cache.outdate(),
    );
  }

  /** Building the cache key takes longer than the lookup, so frequent callers keep the place. */
  place(accountSeq: number, name: string): KeyBucketPlace {
    return { accountSeq, name, cacheKey: cacheKeyOf(accountSeq, name) };
  }

  peekAt({ cacheKey }: KeyBucketPlace): KeyBucket | undefined {
    return this.cache.peek(cacheKey);
  }

  peek(accountSeq: number, name: string): KeyBucket | undefined {
    return this.cache.peek(cacheKeyOf(accountSeq, name));
  }

  /**
   * Caches a bucket that a transaction in progress creates, if it has committed by then. Otherwise the first request
   * that needs the bucket caches it.
   */
  cacheSoon(accountSeq: number, name: string): void {
    setImmediate(() => this.find(accountSeq, name).catch(() => {}));
  }

  /**
   * Returns the cached bucket, or queries `reads`: a transaction also finds a bucket that it created itself. Throws
   * `not_found` if there is none.
   */
  async findIn(reads: Reads, accountSeq: number, name: string): Promise<KeyBucket> {
    return this.peek(accountSeq, name) ?? (await findKeyBucket(reads, accountSeq, name));
  }

  find(accountSeq: number, name: string): Promise<KeyBucket | undefined> {
    return this.cache.get(cacheKeyOf(accountSeq, name), () => findKeyBucketIfAny(this.storage.reads, accountSeq, name));
  }
}

function cacheKeyOf(accountSeq: number, name: string): string {
  return `${accountSeq}/${name}`;
}
