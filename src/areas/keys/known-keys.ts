import type { z } from "zod";
import { asciiJson } from "../../lib/ascii-json.ts";
import type { Digest } from "../../lib/digest.ts";
import { type CachedText, TextCache } from "../../lib/text-cache.ts";
import type { verification } from "./schema.ts";

type ValidVerification = Extract<z.output<typeof verification>, { valid: true }>;

/** Two buckets may hold the same value, and each is remembered by itself. */
export interface KeyPlace {
  digest: Digest;
  bucketSeq: number;
}

/** Whose key it is: what a gateway hands on. */
export interface KeyIdentity {
  keyId: string;
  consumerId: string;
  user: { sub: string; data: Record<string, unknown> };
  /** The metadata as JSON in ASCII, so that a header can carry it; undefined if there is none. */
  metadataText: string | undefined;
}

/** How many identities are kept ready: each takes about 500 bytes, and 1 µs to read anew. */
const identityPlaces = 32_768;
/** Metadata may make it 16 kB: such are read anew each time. */
const longestKept = 4096;

/**
 * What is remembered of keys: the verification as text, the same at every use until the key changes or expires. A
 * million of them take about 350 MB. Who holds a key is read from the text when a gateway asks: verify-key needs only the text.
 */
export class KnownKeys {
  readonly #texts: TextCache;
  /** Of the keys used last by gateways, each in the place that its stamp says; a stamp is never given twice. */
  readonly #identities: ({ stamp: number; identity: KeyIdentity } | undefined)[] = [];

  constructor(maximumBytes: number) {
    this.#texts = new TextCache(maximumBytes);
  }

  get size(): number {
    return this.#texts.size;
  }

  find({ digest, bucketSeq }: KeyPlace): KnownKey | undefined {
    const found = this.#texts.get(digest, bucketSeq);
    return found && new KnownKey(found, this);
  }

  set({ digest, bucketSeq }: KeyPlace, { text, consumerId, expiresOn }: KnownKey, stamp: number): void {
    this.#texts.set(digest, bucketSeq, { text, label: consumerId, number: expiresOn, stamp });
  }

  delete({ digest, bucketSeq }: KeyPlace): void {
    this.#texts.delete(digest, bucketSeq);
  }

  clear(): void {
    this.#texts.clear();
    this.#identities.length = 0;
  }

  identityOf(found: CachedText): KeyIdentity {
    const { stamp } = found;
    const place = stamp % identityPlaces;
    const kept = this.#identities[place];
    if (kept?.stamp === stamp) return kept.identity;
    const identity = readIdentity(found);
    if (found.text.length <= longestKept) this.#identities[place] = { stamp, identity };
    return identity;
  }
}

/**
 * A key that is good, unless it has expired. Its label is its consumer's id, by which a consumer's keys are evicted. Like
 * what it was found in, it is for looking at before anything is awaited.
 */
export class KnownKey {
  constructor(
    private readonly kept: CachedText,
    /** Undefined as long as it is not remembered. */
    private readonly keys?: KnownKeys,
  ) {}

  get text(): string {
    return this.kept.text;
  }

  /** Infinity if it does not. */
  get expiresOn(): number {
    return this.kept.number;
  }

  get stamp(): number {
    return this.kept.stamp;
  }

  /** So that what is found is made once: it is a look-up's result and the value in it. */
  get value(): this {
    return this;
  }

  get refusal(): undefined {
    return undefined;
  }

  get identity(): KeyIdentity {
    return this.keys ? this.keys.identityOf(this.kept) : readIdentity(this.kept);
  }

  get consumerId(): string {
    return this.kept.label;
  }
}

function readIdentity({ text, label: consumerId }: CachedText): KeyIdentity {
  const { keyId, user } = JSON.parse(text) as ValidVerification;
  const hasMetadata = Object.keys(user.data).length > 0;
  return { keyId, consumerId, user, metadataText: hasMetadata ? asciiJson(user.data) : undefined };
}
