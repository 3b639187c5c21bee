import type { z } from "zod";
import type { BucketDirectory } from "../buckets/directory.ts";
import { hashFromText, secretHashText } from "../lib/secret-text.ts";
import { formatDateTime } from "../lib/time.ts";
import { FollowedCache } from "../storage/followed-cache.ts";
import type { Storage } from "../storage/storage.ts";
import { verification } from "./schema.ts";
import { findKnownKey, type KnownKeyRow } from "./store.ts";
import { keyMistake } from "./value.ts";

type Refusal = "malformed" | "not_found" | "expired";

/** Whose key it is: what a gateway hands on. */
export interface KeyIdentity {
  keyId: string;
  consumerId: string;
  user: { sub: string; data: Record<string, unknown> };
  /** The metadata as JSON in ASCII, so that a header can carry it; undefined if there is none. */
  metadataText: string | undefined;
}

/** A verification: as the interface answers it, and for those who act on it. */
export interface Verdict {
  text: string;
  /** Undefined if the key is good; then there is an identity. */
  refusal: Refusal | undefined;
  identity: KeyIdentity | undefined;
}

/**
 * What is remembered of a key: the verification as text, the same at every use until the key changes or expires. Kept
 * small and in few objects, so that a million of them fit and the garbage collector hardly notices. Who holds it is read
 * from the text when a gateway first asks: verify-key needs only the text.
 */
class KnownKey implements Verdict {
  #identity: KeyIdentity | undefined;

  constructor(
    readonly expiresOn: number | null,
    readonly consumerId: string,
    readonly text: string,
  ) {}

  get refusal(): undefined {
    return undefined;
  }

  get identity(): KeyIdentity {
    this.#identity ??= identityOf(this.text);
    return this.#identity;
  }
}

/**
 * Of a known key beside its text: hash, objects, their share of the map, garbage. A million of 220 bytes took 850 MB. The
 * identity of those that gateways use is not counted; it took 490 bytes more.
 */
const entryBytes = 630;
const noMetadata = {};
const malformed = refusal("malformed");
const unknown = refusal("not_found");
const expired = refusal("expired");

/**
 * The hot path: SHA-256, then memory; for a key that memory does not know, shape and checksum, and only then storage.
 * Unknown keys are not remembered, so a key works from the moment it exists.
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
      bytesOf: (key) => entryBytes + key.text.length,
      groupOf: (key) => key.consumerId,
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

  /** The answer for a key that memory knows. */
  peek(accountSeq: number, bucketName: string, value: string, now: number): string | undefined {
    const bucket = this.buckets.peek(accountSeq, bucketName);
    const known = bucket && this.cache.peek(cacheKey(bucket.seq, secretHashText(value)));
    return known && judge(known, now).text;
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
      const row = await findKnownKey(this.storage.reads, bucketSeq, hashFromText(hash));
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
  const text = render({
    valid: true,
    keyId: row.key_id,
    consumer: { id: row.consumer_id, name: row.consumer_name },
    user: { sub: row.consumer_name, data: row.metadata === null ? noMetadata : JSON.parse(row.metadata) },
    expiresOn: row.expires_on === null ? null : formatDateTime(row.expires_on),
  });
  return new KnownKey(row.expires_on, row.consumer_id, text);
}

function identityOf(text: string): KeyIdentity {
  const { keyId, consumer, user } = JSON.parse(text) as Extract<z.output<typeof verification>, { valid: true }>;
  const hasMetadata = Object.keys(user.data).length > 0;
  return { keyId, consumerId: consumer.id, user, metadataText: hasMetadata ? asciiJson(user.data) : undefined };
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function refusal(code: Refusal): Verdict {
  return { text: render({ valid: false, code }), refusal: code, identity: undefined };
}

function render(result: z.input<typeof verification>): string {
  return JSON.stringify(verification.parse(result));
}

function judge(key: KnownKey, now: number): Verdict {
  return key.expiresOn !== null && now >= key.expiresOn ? expired : key;
}
