import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import * as store from "./store.ts";

const maximumBytes = 2 * 1024 * 1024;
const entryBytes = 300;

/** Caches metering buckets, by id and by name: verify-key needs them for every request that consumes. */
export class MeteringBucketDirectory {
  readonly cache: FollowedCache<store.MeteringBucketRow>;

  constructor(private readonly storage: Storage) {
    const entries = new SecondChanceCache<store.MeteringBucketRow>(maximumBytes, () => entryBytes);
    this.cache = new FollowedCache(storage.feed, entries, ({ id }) => id);
    // Those that do not exist are not cached.
    const evict = ({ subject }: Change) => this.cache.evictGroup(subject);
    storage.feed.follow(
      "metering buckets",
      { "metering-bucket.updated": evict, "metering-bucket.deleted": evict },
      () => this.cache.outdate(),
    );
  }

  /** Synchronous if it is cached. */
  find(accountSeq: number, idOrName: string): store.MeteringBucketRow | Promise<store.MeteringBucketRow | undefined> {
    const key = `${accountSeq} ${idOrName}`;
    const load = () => store.findMeteringBucket(this.storage.reads, accountSeq, idOrName);
    return this.cache.peek(key) ?? this.cache.load(key, load);
  }

  has(accountSeq: number, idOrName: string): boolean | Promise<boolean> {
    const found = this.find(accountSeq, idOrName);
    return found instanceof Promise ? found.then((bucket) => bucket !== undefined) : true;
  }
}
