import { SecondChanceCache } from "../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../platform/storage/change.ts";
import { FollowedCache } from "../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

const maximumBytes = 2 * 1024 * 1024;
const entryBytes = 300;

/** Caches which metering buckets exist, by id and by name: verify-key needs it for every request that consumes. */
export class MeteringBucketDirectory {
  readonly cache: FollowedCache<{ id: string }>;

  constructor(private readonly storage: Storage) {
    const entries = new SecondChanceCache<{ id: string }>(maximumBytes, () => entryBytes);
    this.cache = new FollowedCache(storage.feed, entries, ({ id }) => id);
    // Those that do not exist are not cached.
    const evict = ({ subject }: Change) => this.cache.evictGroup(subject);
    storage.feed.follow(
      "metering buckets",
      { "metering-bucket.updated": evict, "metering-bucket.deleted": evict },
      () => this.cache.clear(),
    );
  }

  /** Synchronous if it is cached. */
  has(accountSeq: number, idOrName: string): boolean | Promise<boolean> {
    const key = `${accountSeq} ${idOrName}`;
    if (this.cache.peek(key)) return true;
    const load = async () => {
      const found = await store.findMeteringBucket(this.storage.reads, accountSeq, idOrName);
      return found && { id: found.id };
    };
    return this.cache.load(key, load).then((found) => found !== undefined);
  }
}
