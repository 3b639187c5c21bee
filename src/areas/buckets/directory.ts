import { SecondChanceCache } from "../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../platform/storage/change.ts";
import { FollowedCache } from "../../platform/storage/feed/followed-cache.ts";
import type { Reads, Storage } from "../../platform/storage/storage.ts";
import { type Bucket, findBucketIfAny } from "./buckets.ts";

const maximumBytes = 8 * 1024 * 1024;
const entryBytes = 600;

/** Addresses a bucket. */
export interface BucketPlace {
  readonly accountSeq: number;
  readonly name: string;
  readonly key: string;
}

/** Caches buckets by name: the hot path needs the bucket of every key. */
export class BucketDirectory {
  readonly cache: FollowedCache<Bucket>;

  constructor(private readonly storage: Storage) {
    this.cache = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    const evict = ({ accountSeq, data }: Change<"bucket.updated" | "bucket.marked" | "bucket.deleted">) =>
      this.cache.evict(keyOf(accountSeq!, data.name));
    storage.feed.follow("buckets", { "bucket.updated": evict, "bucket.marked": evict, "bucket.deleted": evict }, () =>
      this.cache.clear(),
    );
  }

  /** Building the key costs more than the look-up, so a frequent caller keeps the address. */
  place(accountSeq: number, name: string): BucketPlace {
    return { accountSeq, name, key: keyOf(accountSeq, name) };
  }

  peekAt({ key }: BucketPlace): Bucket | undefined {
    return this.cache.peek(key);
  }

  peek(accountSeq: number, name: string): Bucket | undefined {
    return this.cache.peek(keyOf(accountSeq, name));
  }

  /** Caches a created bucket after the commit. A transaction in progress cannot, because it may still fail. */
  rememberLater(accountSeq: number, name: string): void {
    setImmediate(() => this.find(accountSeq, name).catch(() => {}));
  }

  /** Returns the cached bucket, else reads it with the given functions: a transaction sees its own writes. */
  async findIn(reads: Reads, accountSeq: number, name: string): Promise<Bucket | undefined> {
    return this.peek(accountSeq, name) ?? (await findBucketIfAny(reads, accountSeq, name));
  }

  find(accountSeq: number, name: string): Promise<Bucket | undefined> {
    return this.cache.get(keyOf(accountSeq, name), () => findBucketIfAny(this.storage.reads, accountSeq, name));
  }
}

function keyOf(accountSeq: number, name: string): string {
  return `${accountSeq}/${name}`;
}
