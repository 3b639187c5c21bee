import type { BucketDirectory } from "../buckets/directory.ts";
import { secretHashText } from "../lib/secret-text.ts";
import { formatDateTime } from "../lib/time.ts";
import { FollowedCache } from "../storage/followed-cache.ts";
import type { Storage } from "../storage/storage.ts";
import { findKnownKey, type KnownKeyRow } from "./store.ts";
import { keyMistake } from "./value.ts";

export type Verification =
  | {
      valid: true;
      keyId: string;
      consumer: { id: string; name: string };
      user: { sub: string; data: Record<string, unknown> };
      expiresOn: string | null;
    }
  | { valid: false; code: "malformed" | "not_found" | "expired" };

/** What is remembered of a key. The verification is the same at every use until the key changes or expires. */
export interface KnownKey {
  expiresOn: number | null;
  verification: Verification & { valid: true };
  /** For whoever answers the verification as text. */
  rendering: { text?: string };
  bytes: number;
}

/** A key that is good, or why it is not. */
export type Verdict = KnownKey | { verification: Verification & { valid: false }; rendering?: undefined };

/** A key of average length with its hash, its entry and their share of the maps. */
const entryBytes = 900;
const noMetadata = {};
const malformed: Verdict = { verification: { valid: false, code: "malformed" } };
const unknown: Verdict = { verification: { valid: false, code: "not_found" } };
const expired: Verdict = { verification: { valid: false, code: "expired" } };

/**
 * The hot path: SHA-256, then memory; for a key that memory does not know, shape and checksum, and only then storage. Unknown keys are not remembered, so a key works from the moment it exists.
 */
export class KeyVerifier {
  readonly cache: FollowedCache<KnownKey>;

  constructor(
    private readonly storage: Storage,
    private readonly buckets: BucketDirectory,
    cacheBytes: number,
  ) {
    this.cache = new FollowedCache(storage.feed, {
      maximumBytes: cacheBytes,
      bytesOf: (key) => key.bytes,
      groupOf: (key) => key.verification.consumer.id,
    });
    storage.feed.subscribe((changes) => {
      for (const { kind, subject, data } of changes) {
        if (kind === "key.updated" || kind === "key.deleted")
          this.cache.evict(cacheKey(Number(data?.bucketSeq), String(data?.hash)));
        else if (kind === "key.rolled" || kind === "consumer.updated" || kind === "consumer.deleted")
          this.cache.evictGroup(subject);
        else if (kind === "bucket.deleted" || kind === "account.deleted") this.cache.clear();
      }
    });
  }

  /** Without a promise where memory knows the key. */
  verify(accountSeq: number, bucketName: string, value: string, now: number): Verdict | Promise<Verdict> {
    const bucket = this.buckets.peek(accountSeq, bucketName);
    const hash = secretHashText(value);
    const known = bucket && this.cache.peek(cacheKey(bucket.seq, hash));
    // A key that memory knows has the right shape; the others are looked at before storage is asked.
    if (known) return judge(known, now);
    if (keyMistake(value) !== undefined) return malformed;
    return bucket ? this.#load(bucket.seq, hash, now) : this.#verifyFromStorage(accountSeq, bucketName, hash, now);
  }

  async #verifyFromStorage(accountSeq: number, bucketName: string, hash: string, now: number): Promise<Verdict> {
    const bucket = await this.buckets.find(accountSeq, bucketName);
    if (!bucket) return unknown;
    return this.#load(bucket.seq, hash, now);
  }

  async #load(bucketSeq: number, hash: string, now: number): Promise<Verdict> {
    const known = await this.cache.load(cacheKey(bucketSeq, hash), async () => {
      const row = await findKnownKey(this.storage.reads, bucketSeq, Buffer.from(hash, "hex"));
      return row && toKnownKey(row);
    });
    return known ? judge(known, now) : unknown;
  }
}

/** Two buckets may hold the same value, and each is remembered by itself. */
function cacheKey(bucketSeq: number, hash: string): string {
  return hash + bucketSeq;
}

function toKnownKey(row: KnownKeyRow): KnownKey {
  return {
    expiresOn: row.expires_on,
    verification: {
      valid: true,
      keyId: row.key_id,
      consumer: { id: row.consumer_id, name: row.consumer_name },
      user: { sub: row.consumer_name, data: row.metadata === null ? noMetadata : JSON.parse(row.metadata) },
      expiresOn: row.expires_on === null ? null : formatDateTime(row.expires_on),
    },
    rendering: {},
    bytes: entryBytes + 3 * (row.metadata?.length ?? 0),
  };
}

function judge(key: KnownKey, now: number): Verdict {
  return key.expiresOn !== null && now >= key.expiresOn ? expired : key;
}
