import { SecondChanceCache } from "../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../platform/storage/change.ts";
import { FollowedCache } from "../../platform/storage/feed/followed-cache.ts";
import type { Reads, Storage } from "../../platform/storage/storage.ts";
import { type Bucket, findBucketIfAny } from "./buckets.ts";

const maximumBytes = 8 * 1024 * 1024;
const entryBytes = 600;

/** Where a bucket is looked for. */
export interface BucketPlace {
  readonly accountSeq: number;
  readonly name: string;
  readonly key: string;
}

/** Buckets by name, from memory: the hot path needs one with every key. */
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

  /** Putting the key together costs more than the look-up: a frequent caller keeps the place. */
  place(accountSeq: number, name: string): BucketPlace {
    return { accountSeq, name, key: keyOf(accountSeq, name) };
  }

  peekAt({ key }: BucketPlace): Bucket | undefined {
    return this.cache.peek(key);
  }

  peek(accountSeq: number, name: string): Bucket | undefined {
    return this.cache.peek(keyOf(accountSeq, name));
  }

  /** Sees to it that the next ones find it in memory; a transaction under way cannot, as it may yet fail. */
  rememberLater(accountSeq: number, name: string): void {
    setImmediate(() => this.find(accountSeq, name).catch(() => {}));
  }

  /** From memory, else with the given reads: a transaction sees what it has made itself. */
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
