import type { z } from "zod";
import { asciiJson } from "../../lib/ascii-json.ts";
import { Digest } from "../../lib/digest.ts";
import { checksumHolds, hashFromText, secretHash } from "../../lib/secret-text.ts";
import { formatDateTime } from "../../lib/time.ts";
import type { Change } from "../../platform/storage/change.ts";
import { FollowedCache } from "../../platform/storage/followed-cache.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Bucket } from "../buckets/buckets.ts";
import type { BucketDirectory, BucketPlace } from "../buckets/directory.ts";
import { type KeyIdentity, type KeyPlace, KnownKey, KnownKeys } from "./known-keys.ts";
import { verification } from "./schema.ts";
import { findKnownKey, type KnownKeyRow } from "./store.ts";
import { keyMistake } from "./value.ts";

type Refusal = "malformed" | "not_found" | "expired";

/** A verification: as the interface answers it, and for those who act on it. */
export interface Verdict {
  text: string;
  /** Undefined if the key is good; then there is an identity. */
  refusal: Refusal | undefined;
  identity: KeyIdentity | undefined;
}

const noMetadata = {};
const malformed = refusal("malformed");
const unknown = refusal("not_found");
const expired = refusal("expired");

/**
 * The hot path: SHA-256, then memory; for a key that memory does not know, shape and checksum, and only then storage. The
 * checksum decides nothing in a bucket that holds a supplied key of the generated shape with another checksum.
 * Unknown keys are not remembered, so a key works from the moment it exists.
 */
export class KeyVerifier {
  readonly cache: FollowedCache<KnownKey, KeyPlace>;
  /** Of the key that is being looked up: made once, and worth nothing after an await. */
  readonly #place: KeyPlace = { digest: new Digest(), bucketSeq: 0 };

  constructor(
    private readonly storage: Storage,
    readonly buckets: BucketDirectory,
    cacheBytes: number,
  ) {
    this.cache = new FollowedCache(storage.feed, new KnownKeys(cacheBytes), (key) => key.consumerId);
    const evictKey = ({ data }: Change<"key.updated" | "key.deleted">) =>
      this.cache.evict({ bucketSeq: data.bucketSeq, digest: Digest.of(hashFromText(data.hash)) });
    const evictConsumer = ({ subject }: Change) => this.cache.evictGroup(subject);
    // Nothing to evict with a bucket: no other bucket ever has its `seq`, so its keys are not found again and give way
    // to others.
    storage.feed.follow("keys", {
      "key.updated": evictKey,
      "key.deleted": evictKey,
      "key.rolled": evictConsumer,
      "consumer.updated": evictConsumer,
      "consumer.deleted": evictConsumer,
    });
  }

  /** Without a promise where memory knows the key. */
  verify(place: BucketPlace, value: string, now: number): Verdict | Promise<Verdict> {
    const bucket = this.buckets.peekAt(place);
    const known = bucket && this.#peek(bucket.seq, value);
    // A key that memory knows has the right shape; the others are looked at before storage is asked.
    if (known) return judge(known, now);
    if (keyMistake(value) !== undefined) return malformed;
    return bucket && isForged(bucket, value) ? malformed : this.#verifyFromStorage(place, value, now);
  }

  #peek(bucketSeq: number, value: string): KnownKey | undefined {
    this.#place.bucketSeq = bucketSeq;
    this.#place.digest.become(value);
    return this.cache.peek(this.#place);
  }

  async #verifyFromStorage(where: BucketPlace, value: string, now: number): Promise<Verdict> {
    const bucket = this.buckets.peekAt(where) ?? (await this.buckets.find(where.accountSeq, where.name));
    if (!bucket) return checksumHolds(value) ? unknown : malformed;
    if (isForged(bucket, value)) return malformed;
    const place = { bucketSeq: bucket.seq, digest: Digest.of(secretHash(value)) };
    const known = await this.cache.load(place, async () => {
      const row = await findKnownKey(this.storage.reads, bucket.seq, place.digest.bytes);
      return row && toKnownKey(row);
    });
    return known ? judge(known, now) : unknown;
  }
}

function isForged(bucket: Bucket, value: string): boolean {
  return bucket.has_lookalike_keys === 0 && !checksumHolds(value);
}

function toKnownKey(row: KnownKeyRow): KnownKey {
  const text = render({
    valid: true,
    keyId: row.key_id,
    consumer: { id: row.consumer_id, name: row.consumer_name },
    user: { sub: row.consumer_name, data: row.metadata === null ? noMetadata : JSON.parse(row.metadata) },
    expiresOn: row.expires_on === null ? null : formatDateTime(row.expires_on),
  });
  return new KnownKey({ text, label: row.consumer_id, number: row.expires_on ?? Number.POSITIVE_INFINITY, stamp: 0 });
}

function refusal(code: Refusal): Verdict {
  return { text: render({ valid: false, code }), refusal: code, identity: undefined };
}

function render(result: z.input<typeof verification>): string {
  return asciiJson(verification.parse(result));
}

function judge(key: KnownKey, now: number): Verdict {
  return now >= key.expiresOn ? expired : key;
}
