import type { BucketDirectory } from "../buckets/directory.ts";
import { secretHashText } from "../lib/secret-text.ts";
import { formatDateTime } from "../lib/time.ts";
import { FollowedCache } from "../storage/followed-cache.ts";
import type { Storage } from "../storage/storage.ts";
import { type KnownKeyRow, knownKeyQuery } from "./store.ts";
import { keyMistake } from "./value.ts";

interface KnownKey {
  bucketSeq: number;
  keyId: string;
  expiresOn: number | null;
  consumerId: string;
  consumerName: string;
  metadata: Record<string, unknown>;
  bytes: number;
}

export type Verification =
  | {
      valid: true;
      keyId: string;
      consumer: { id: string; name: string };
      user: { sub: string; data: Record<string, unknown> };
      expiresOn: string | null;
    }
  | { valid: false; code: "malformed" | "not_found" | "expired" };

/** A key of average length with its hash, its entry and their share of the maps. */
const entryBytes = 500;
const noMetadata = {};

/**
 * The hot path: shape and checksum, then SHA-256, then memory, and storage only for a key that memory does
 * not know. Unknown keys are not remembered, so a key works from the moment it exists.
 */
export class KeyVerifier {
  readonly cache: FollowedCache<KnownKey>;
  readonly #find: (parameters: unknown[]) => Promise<KnownKeyRow | undefined>;

  constructor(
    storage: Storage,
    private readonly buckets: BucketDirectory,
    cacheBytes: number,
  ) {
    this.#find = storage.prepare(knownKeyQuery);
    this.cache = new FollowedCache(storage.feed, {
      maximumBytes: cacheBytes,
      bytesOf: (key) => key.bytes,
      groupOf: (key) => key.consumerId,
    });
    storage.feed.subscribe((changes) => {
      for (const { kind, subject, data } of changes) {
        if (kind === "key.updated" || kind === "key.deleted") this.cache.evict(String(data?.hash));
        else if (kind === "key.rolled" || kind === "consumer.updated" || kind === "consumer.deleted")
          this.cache.evictGroup(subject);
        else if (kind === "bucket.deleted" || kind === "account.deleted") this.cache.clear();
      }
    });
  }

  /** Without a promise where memory knows the key. */
  verify(accountSeq: number, bucketName: string, value: string, now: number): Verification | Promise<Verification> {
    if (keyMistake(value) !== undefined) return { valid: false, code: "malformed" };
    const bucket = this.buckets.peek(accountSeq, bucketName);
    if (!bucket) return this.#verifyFromStorage(accountSeq, bucketName, value, now);
    const hash = secretHashText(value);
    const known = this.cache.peek(hash);
    if (!known || known.bucketSeq !== bucket.seq) return this.#load(bucket.seq, hash, now);
    return judge(known, now);
  }

  async #verifyFromStorage(accountSeq: number, bucketName: string, value: string, now: number): Promise<Verification> {
    const bucket = await this.buckets.find(accountSeq, bucketName);
    if (!bucket) return { valid: false, code: "not_found" };
    return this.#load(bucket.seq, secretHashText(value), now);
  }

  async #load(bucketSeq: number, hash: string, now: number): Promise<Verification> {
    const known = await this.cache.load(hash, async () => {
      const row = await this.#find([bucketSeq, Buffer.from(hash, "hex")]);
      return row && toKnownKey(row, bucketSeq);
    });
    // Two buckets may hold the same value; while storage is away, memory may know only the other one's.
    return known && known.bucketSeq === bucketSeq ? judge(known, now) : { valid: false, code: "not_found" };
  }
}

function toKnownKey(row: KnownKeyRow, bucketSeq: number): KnownKey {
  return {
    bucketSeq,
    keyId: row.key_id,
    expiresOn: row.expires_on,
    consumerId: row.consumer_id,
    consumerName: row.consumer_name,
    metadata: row.metadata === null ? noMetadata : JSON.parse(row.metadata),
    bytes: entryBytes + 2 * (row.metadata?.length ?? 0),
  };
}

function judge(key: KnownKey, now: number): Verification {
  if (key.expiresOn !== null && now >= key.expiresOn) return { valid: false, code: "expired" };
  return {
    valid: true,
    keyId: key.keyId,
    consumer: { id: key.consumerId, name: key.consumerName },
    user: { sub: key.consumerName, data: key.metadata },
    expiresOn: key.expiresOn === null ? null : formatDateTime(key.expiresOn),
  };
}
