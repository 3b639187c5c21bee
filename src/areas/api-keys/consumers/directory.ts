import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { outdateConsumer } from "../consumer-addresses/consumer-address.ts";
import type { KeyBucketDirectory, KeyBucketPlace } from "../key-buckets/directory.ts";

const maximumBytes = 16 * 1024 * 1024;
const entryBytes = 600;

/** A consumer as a gateway passes it to code and upstreams. */
export interface KnownConsumer {
  readonly id: string;
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly isSuspended: boolean;
  readonly bytes: number;
}

/** Caches consumers by name, for requests that are authenticated without a key. */
export class ConsumerDirectory {
  readonly cache: FollowedCache<KnownConsumer>;

  constructor(
    private readonly storage: Storage,
    private readonly buckets: KeyBucketDirectory,
  ) {
    const entries = new SecondChanceCache<KnownConsumer>(maximumBytes, ({ bytes }) => bytes);
    this.cache = new FollowedCache(storage.feed, entries, ({ id }) => id);
    const evict = ({ subject }: Change<"consumer.deleted">) => this.cache.evictGroup(subject);
    const evictMany = ({ data }: Change<"consumers.updated" | "consumers.deleted">) => {
      for (const id of data.consumerIds) this.cache.evictGroup(id);
    };
    const clear = () => this.cache.clear();
    storage.feed.follow(
      "consumers",
      {
        "consumer.updated": (change) => outdateConsumer(this.cache, change),
        "consumer.deleted": evict,
        "consumers.updated": evictMany,
        "consumers.deleted": evictMany,
        "account.deleted": clear,
      },
      () => this.cache.outdate(),
    );
  }

  /** Returns undefined if the bucket has no consumer of that name. Synchronous if it is cached. */
  find(place: KeyBucketPlace, name: string): KnownConsumer | Promise<KnownConsumer | undefined> {
    const bucket = this.buckets.peekAt(place);
    const known = bucket && this.cache.peek(`${bucket.seq} ${name}`);
    return known ?? this.#load(place, name);
  }

  async #load({ accountSeq, name: bucketName }: KeyBucketPlace, name: string): Promise<KnownConsumer | undefined> {
    const bucket = await this.buckets.find(accountSeq, bucketName);
    if (!bucket) return undefined;
    // The `seq` of a deleted bucket is never reused.
    return this.cache.load(`${bucket.seq} ${name}`, async () => {
      const row = await findRow(this.storage.reads, "consumers", { bucket_seq: bucket.seq, name });
      if (!row) return undefined;
      const metadata = row.metadata === null ? {} : (JSON.parse(row.metadata) as Record<string, unknown>);
      const bytes = entryBytes + 2 * (row.metadata?.length ?? 0);
      return { id: row.id, name: row.name, metadata, isSuspended: row.is_suspended === 1, bytes };
    });
  }
}
