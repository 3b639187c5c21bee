import type { z } from "zod";
import type { LimitPlace, Limits, TakenRequest } from "../../../../counting/limits/limits.ts";
import { Digest } from "../../../../lib/cache/digest.ts";
import { checksumHolds, hashFromText, secretHash } from "../../../../lib/crypto/secret-text.ts";
import { AddressBytes } from "../../../../lib/network/ip-address.ts";
import { TurnGroup } from "../../../../lib/tasks/turn-group.ts";
import { asciiJson } from "../../../../lib/text/ascii-json.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Change } from "../../../../platform/storage/change.ts";
import { FollowedCache } from "../../../../platform/storage/change-feed/followed-cache.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { outdateConsumer } from "../../consumer-addresses/consumer-address.ts";
import type { KeyBucketDirectory, KeyBucketPlace } from "../../key-buckets/directory.ts";
import type { KeyBucket } from "../../key-buckets/key-buckets.ts";
import { rulesOf } from "../fields.ts";
import { encodeRules, limitShards, RulesReader } from "../key-rules.ts";
import { KeyUses } from "../key-uses.ts";
import { type keyRejections, verification } from "../schema.ts";
import { findKnownKeys, type KnownKeyRow } from "../store.ts";
import { isTooLong, keyError } from "../value.ts";
import { type KeyIdentity, type KeyPlace, KnownKey, KnownKeys, useSlot } from "./known-keys.ts";

type Rejection = (typeof keyRejections)[number];

/** A verification, as returned by the API and for callers in this process. */
export interface Verdict {
  text: string;
  /** Why the key is rejected. Undefined if it is valid; then there is an identity. */
  rejection: Rejection | undefined;
  /** No key was found because there is no such bucket. */
  isBucketMissing?: true;
  identity: KeyIdentity | undefined;
  /** Set if the key's rate limit is exceeded. */
  retryAfterSeconds: number | undefined;
  /** The key, valid or not; undefined if there is none. */
  known?: Pick<KnownKey, "seq" | "identity" | "expiresOn"> | undefined;
  /** The key's limit, if it is exceeded. */
  limit?: UsedLimit;
}

export interface UsedLimit {
  requests: number;
  windowSeconds: number;
  resetsOn: number;
}

/** The context in which a key is used, as far as it is known. */
interface KeyUsage {
  /** The client's address. */
  readonly ip?: string | undefined;
  readonly permission?: string | undefined;
  /** The key whose limit has counted the request already; true if nothing is counted. */
  readonly countedSubject?: string | true | undefined;
  /** Called when the key has a limit and the request is within it, with the remaining requests. */
  onLimit?(limit: UsedLimit, left: number): void;
  /**
   * Called instead of a rejection for its permission or its limit: the key is valid, and the remaining checks follow.
   * Undefined if such a rejection counts.
   */
  onObserved?(rejection: Verdict): void;
}

/** No deployment has such a name. */
const limitScope = "key-bucket keys";
/** The maximum number of cached limits by length. */
const maxPlaces = 1000;
/** The maximum number of cached ids of keys with a limit: decoding one from bytes is half of the cost of counting. */
const subjectPlaces = 4096;

const noMetadata = {};
const malformed = rejection("malformed");
const unknown = rejection("not_found");
const malformedWithoutBucket: Verdict = { ...malformed, isBucketMissing: true };
const unknownWithoutBucket: Verdict = { ...unknown, isBucketMissing: true };
const expired = rejection("expired");
const disabled = rejection("disabled");
const suspended = rejection("consumer_suspended");
const ipRequired = rejection("ip_required");
const ipNotAllowed = rejection("ip_not_allowed");
const permissionMissing = rejection("permission_missing");
const anyUsage: KeyUsage = {};

/**
 * The hot path: SHA-256, then the cache; for an uncached key, format and checksum, and only then storage. Format and
 * checksum are not used in a bucket that has a supplied key in the generated format with another checksum, or a key of
 * which only the hash is known. Unknown keys are not
 * cached, so a key works from the moment it exists.
 */
export class KeyVerifier {
  readonly cache: FollowedCache<KnownKey, KeyPlace>;
  /** Reused for each lookup. Do not keep a reference across an await. */
  readonly #place: KeyPlace = { digest: new Digest(), bucketSeq: 0 };
  /** Reused for each lookup. Do not keep a reference across an await. */
  readonly #rules = new RulesReader();
  readonly #address = new AddressBytes();
  /** The limits of keys, by length and shard. */
  readonly #places = new Map<number, LimitPlace>();
  /** Ids of keys, indexed by stamp. A stamp is never reused. */
  readonly #keyIds: ({ stamp: number; text: string } | undefined)[] = [];
  readonly uses: KeyUses;
  /** Keys that are needed in the same turn of the event loop are read together. */
  readonly #lookups: TurnGroup<{ bucketSeq: number; hash: Buffer }, KnownKeyRow | undefined>;

  constructor(
    storage: Storage,
    readonly buckets: KeyBucketDirectory,
    cacheBytes: number,
    private readonly limits: Limits,
  ) {
    this.#lookups = new TurnGroup((places) => findKnownKeys(storage.reads, places));
    this.uses = new KeyUses(storage);
    const idOf = ({ bucketSeq, digest }: KeyPlace) => `${bucketSeq} ${digest.bytes.toString("latin1")}`;
    this.cache = new FollowedCache(storage.feed, new KnownKeys(cacheBytes), (key) => key.consumerId, idOf);
    const evict = (bucketSeq: number, hash: string) => {
      const digest = Digest.of(hashFromText(hash));
      const isKnown = this.cache.has({ bucketSeq, digest });
      this.cache.evict({ bucketSeq, digest });
      // Storage may be unavailable when the key is used next.
      if (storage.isShared && isKnown) this.#load(bucketSeq, digest).catch(() => {});
    };
    const evictKey = ({ data }: Change<"key.updated" | "key.deleted" | "key.leaked">) =>
      evict(data.bucketSeq, data.hash);
    const evictKeys = ({ data }: Change<"keys.updated" | "keys.deleted">) => {
      for (const hash of data.hashes) evict(data.bucketSeq, hash);
    };
    const evictConsumer = ({ subject }: Change) => this.cache.evictGroup(subject);
    const evictConsumers = ({ data }: Change<"consumers.updated" | "consumers.deleted">) => {
      for (const id of data.consumerIds) this.cache.evictGroup(id);
    };
    // A deleted bucket needs no eviction: its `seq` is never reused, so its keys are not found again and are evicted by
    // others.
    storage.feed.follow(
      "keys",
      {
        "key.updated": evictKey,
        "key.leaked": evictKey,
        "key.deleted": evictKey,
        "keys.updated": evictKeys,
        "keys.deleted": evictKeys,
        "key.rolled": evictConsumer,
        "consumer.updated": (change) => outdateConsumer(this.cache, change),
        "consumer.deleted": evictConsumer,
        "consumers.updated": evictConsumers,
        "consumers.deleted": evictConsumers,
      },
      () => this.cache.outdate(),
    );
  }

  /** Synchronous if the key is cached. */
  verify(place: KeyBucketPlace, value: string, now: number, usage = anyUsage): Verdict | Promise<Verdict> {
    const bucket = this.buckets.peekAt(place);
    const known = bucket && this.#peek(bucket.seq, value);
    // A cached key has the correct format. Other keys are checked before storage is queried.
    if (known) return this.#use(known, this.#place, usage, now);
    if (isTooLong(value)) return malformed;
    return bucket && isForged(bucket, value) ? malformed : this.#verifyFromStorage(place, value, now, usage);
  }

  /**
   * Finds a key and checks only whether it is valid by itself: neither where it is used nor its limit. Nothing is counted.
   */
  async find(place: KeyBucketPlace, value: string, now: number): Promise<Verdict> {
    if (isTooLong(value)) return malformed;
    const bucket = this.buckets.peekAt(place) ?? (await this.buckets.find(place.accountSeq, place.name));
    if (!bucket) return isWellFormed(value) ? unknownWithoutBucket : malformedWithoutBucket;
    if (isForged(bucket, value)) return malformed;
    const known = await this.#load(bucket.seq, Digest.of(secretHash(value)));
    if (!known) return unknown;
    if (now >= known.expiresOn) return { ...expired, known };
    if (!known.locateRules(this.#rules)) return known;
    const { isSuspended, isDisabled } = this.#rules;
    return isSuspended ? { ...suspended, known } : isDisabled ? { ...disabled, known } : known;
  }

  /** Verifies a key by its hash. A key of another bucket is unknown, as its value would be. */
  async verifyAssumed(
    place: KeyBucketPlace,
    { bucketSeq, hash }: { bucketSeq: number; hash: Uint8Array },
    now: number,
    usage = anyUsage,
  ): Promise<Verdict> {
    const bucket = this.buckets.peekAt(place) ?? (await this.buckets.find(place.accountSeq, place.name));
    return bucket?.seq === bucketSeq ? this.#verifyHash(bucketSeq, Digest.of(hash), now, usage) : unknown;
  }

  #peek(bucketSeq: number, value: string): KnownKey | undefined {
    this.#place.bucketSeq = bucketSeq;
    this.#place.digest.become(value);
    return this.cache.peek(this.#place);
  }

  /** The limit is checked last, so that requests rejected for another reason do not count. */
  #use(key: KnownKey, place: KeyPlace, usage: KeyUsage, now: number): Verdict | Promise<Verdict> {
    const rules = key.locateRules(this.#rules) ? this.#rules : undefined;
    const rejected = this.#rejection(key, rules, usage, now);
    if (rejected) return rejected;
    if (rules?.hasLimit && !this.#isCounted(key, usage)) {
      const { requests, windowSeconds, shard } = rules;
      const taken = this.limits.take(this.#placeOf(windowSeconds, shard), this.#subjectOf(key), requests, now);
      if (taken instanceof Promise) return this.#useLater(key, place, { windowSeconds, requests, taken }, usage, now);
      const exceeded = afterLimit(key, { requests, windowSeconds, resetsOn: taken.resetsOn }, taken.left, usage, now);
      if (exceeded) return exceeded;
    }
    key.noteUse(this.uses, place.digest, now);
    return key;
  }

  #isCounted(key: KnownKey, { countedSubject }: KeyUsage): boolean {
    return countedSubject !== undefined && (countedSubject === true || countedSubject === this.#subjectOf(key));
  }

  /** The limit is counted in another process. A cache hit must not be used after that, so it is copied. */
  async #useLater(
    { cached }: KnownKey,
    { bucketSeq, digest }: KeyPlace,
    { windowSeconds, requests, taken }: { windowSeconds: number; requests: number; taken: Promise<TakenRequest> },
    usage: KeyUsage,
    now: number,
  ): Promise<Verdict> {
    const key = new KnownKey(cached);
    const place = { bucketSeq, digest: Digest.of(Buffer.from(digest.bytes)) };
    const { left, resetsOn } = await taken;
    const exceeded = afterLimit(key, { requests, windowSeconds, resetsOn }, left, usage, now);
    if (exceeded) return exceeded;
    // In the cache if it is still there, so that the next uses are known to be noted.
    (this.cache.peek(place) ?? key).noteUse(this.uses, place.digest, now);
    return key;
  }

  /** Checks the rules of a key, if it has any, apart from its limit. */
  #rejection(key: KnownKey, rules: RulesReader | undefined, usage: KeyUsage, now: number): Verdict | undefined {
    const { ip, permission } = usage;
    if (now >= key.expiresOn) return { ...expired, known: key };
    const missing = () => observe({ ...permissionMissing, known: key }, usage);
    if (!rules) return permission === undefined ? undefined : missing();
    if (rules.isSuspended) return { ...suspended, known: key };
    if (rules.isDisabled) return { ...disabled, known: key };
    if (rules.hasAddresses) {
      if (ip === undefined) return { ...ipRequired, known: key };
      if (!this.#address.parse(ip) || !rules.allowsAddress(this.#address)) return { ...ipNotAllowed, known: key };
    }
    return permission !== undefined && !rules.grants(permission) ? missing() : undefined;
  }

  #placeOf(windowSeconds: number, shard: number): LimitPlace {
    const at = windowSeconds * limitShards + shard;
    let place = this.#places.get(at);
    if (place) return place;
    place = { scope: `${limitScope} ${shard}`, windowSeconds, kind: "fixed" };
    if (this.#places.size >= maxPlaces) this.#places.clear();
    this.#places.set(at, place);
    return place;
  }

  /** The subject of the limit of the key whose rules are being checked. */
  #subjectOf({ isRemembered, stamp }: KnownKey): string {
    if (!isRemembered) return this.#rules.subject;
    const place = stamp % subjectPlaces;
    const kept = this.#keyIds[place];
    if (kept?.stamp === stamp) return kept.text;
    const text = this.#rules.subject;
    this.#keyIds[place] = { stamp, text };
    return text;
  }

  async #verifyFromStorage(where: KeyBucketPlace, value: string, now: number, usage: KeyUsage): Promise<Verdict> {
    const bucket = this.buckets.peekAt(where) ?? (await this.buckets.find(where.accountSeq, where.name));
    if (!bucket) return isWellFormed(value) ? unknownWithoutBucket : malformedWithoutBucket;
    if (isForged(bucket, value)) return malformed;
    return this.#verifyHash(bucket.seq, Digest.of(secretHash(value)), now, usage);
  }

  async #verifyHash(bucketSeq: number, digest: Digest, now: number, usage: KeyUsage): Promise<Verdict> {
    const known = await this.#load(bucketSeq, digest);
    return known ? this.#use(known, { bucketSeq, digest }, usage, now) : unknown;
  }

  #load(bucketSeq: number, digest: Digest): Promise<KnownKey | undefined> {
    return this.cache.load({ bucketSeq, digest }, async () => {
      const row = await this.#lookups.add({ bucketSeq, hash: digest.bytes });
      return row && toKnownKey(row);
    });
  }
}

/** Returns the rejection, unless it is only observed. */
function observe(rejection: Verdict, { onObserved }: KeyUsage): Verdict | undefined {
  if (!onObserved) return rejection;
  onObserved(rejection);
  return undefined;
}

/** What follows from the rest of a limit, which is -1 if it is exceeded. */
function afterLimit(
  known: KnownKey,
  limit: UsedLimit,
  left: number,
  usage: KeyUsage,
  now: number,
): Verdict | undefined {
  if (left !== -1) {
    usage.onLimit?.(limit, left);
    return undefined;
  }
  const retryAfterSeconds = Math.ceil((limit.resetsOn - now) / 1000);
  return observe({ ...rejection("rate_limited", retryAfterSeconds), known, limit }, usage);
}

function isForged(bucket: KeyBucket, value: string): boolean {
  return bucket.has_lookalike_keys === 0 && !isWellFormed(value);
}

function isWellFormed(value: string): boolean {
  return keyError(value) === undefined && checksumHolds(value);
}

function toKnownKey(knownKey: KnownKeyRow): KnownKey {
  const rules = rulesOf(knownKey);
  const text = render({
    valid: true,
    keyId: knownKey.key_id,
    consumer: { id: knownKey.consumer_id, name: knownKey.consumer_name },
    user: {
      sub: knownKey.consumer_name,
      data: knownKey.metadata === null ? noMetadata : JSON.parse(knownKey.metadata),
    },
    expiresOn: knownKey.expires_on === null ? null : formatDateTime(knownKey.expires_on),
    ...(rules.permissions.length === 0 ? undefined : { permissions: [...rules.permissions] }),
  });
  return new KnownKey({
    text,
    label: knownKey.consumer_id,
    extra: encodeRules(knownKey.key_id, rules),
    number: knownKey.expires_on ?? Number.POSITIVE_INFINITY,
    stamp: 0,
    mark: knownKey.last_used_on === null ? 0 : useSlot(knownKey.last_used_on),
    reference: knownKey.key_seq,
  });
}

function rejection(code: Rejection, retryAfterSeconds?: number): Verdict {
  const text = render({ valid: false, code, retryAfterSeconds });
  return { text, rejection: code, identity: undefined, retryAfterSeconds };
}

function render(result: z.input<typeof verification>): string {
  return asciiJson(verification.parse(result));
}
