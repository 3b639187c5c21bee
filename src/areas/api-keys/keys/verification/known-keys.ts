import type { z } from "zod";
import type { Digest } from "../../../../lib/cache/digest.ts";
import { type BytesAt, type CachedText, FoundText, TextCache } from "../../../../lib/cache/text-cache.ts";
import { asciiJson } from "../../../../lib/text/ascii-json.ts";
import { blockOf, periodMilliseconds } from "../key-use-store.ts";
import type { KeyUses } from "../key-uses.ts";
import type { verification } from "../schema.ts";

type ValidVerification = Extract<z.output<typeof verification>, { valid: true }>;

/** Two buckets may contain the same value, and each is cached separately. */
export interface KeyPlace {
  digest: Digest;
  bucketSeq: number;
}

/** The holder of a key, as a gateway forwards it. */
export interface KeyIdentity {
  keyId: string;
  consumerId: string;
  user: { sub: string; data: Record<string, unknown> };
  /** The metadata as JSON in ASCII, so that a header can carry it. Undefined if there is none. */
  metadataText: string | undefined;
  permissions: readonly string[];
}

/** The maximum number of parsed identities: each takes about 500 bytes, and 1 µs to parse. */
const identityPlaces = 32_768;
/** With metadata an identity may take 16 kB. Such identities are parsed each time. */
const maxCachedLength = 4096;
/**
 * A use within this time of a noted one is not noted. Together with the time until it is written, that is less than a
 * minute.
 */
const useMilliseconds = 45_000;
const slotsPerPeriod = periodMilliseconds / useMilliseconds;
const noPermissions: readonly string[] = [];

/** The number of the 45-second slot of a use, which is cached with the key. */
export function useSlot(usedOn: number): number {
  return Math.floor(usedOn / useMilliseconds);
}

/** Periods do not begin for all keys at once, but for the keys of a block, whose rows are stored next to each other. */
function usePeriod(seq: number, slot: number): number {
  return Math.floor((slot + blockOf(seq)) / slotsPerPeriod);
}

/**
 * The cache of valid keys: the verification as text, which is the same at every use until the key changes or expires. A
 * million keys take about 350 MB. The holder of a key is parsed from the text when a gateway needs it: verify-key needs
 * only the text.
 */
export class KnownKeys {
  readonly #texts: TextCache;
  /** Identities of the keys that gateways used last, indexed by stamp. A stamp is never reused. */
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

  set({ digest, bucketSeq }: KeyPlace, key: KnownKey, stamp: number): void {
    this.#texts.set(digest, bucketSeq, { ...key.cached, stamp });
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
    if (found.text.length <= maxCachedLength) this.#identities[place] = { stamp, identity };
    return identity;
  }
}

/**
 * A valid key, unless it has expired. Its label is its consumer's id, by which a consumer's keys are evicted. Like the
 * cache hit, it must be used before the next await.
 */
export class KnownKey {
  constructor(
    private readonly kept: CachedText,
    /** Undefined until it is cached. */
    private readonly keys?: KnownKeys,
  ) {}

  get text(): string {
    return this.kept.text;
  }

  /** Infinity if the key does not expire. */
  get expiresOn(): number {
    return this.kept.number;
  }

  get stamp(): number {
    return this.kept.stamp;
  }

  /** One object for the result of a look-up and the value in it, which saves an allocation. */
  get value(): this {
    return this;
  }

  /** The key as a valid result of a verification. */
  get known(): this {
    return this;
  }

  get seq(): number {
    return this.kept.reference ?? 0;
  }

  get rejection(): undefined {
    return undefined;
  }

  get retryAfterSeconds(): undefined {
    return undefined;
  }

  /** The encoded rules to check at each use. Undefined if there are none. */
  get rules(): Buffer | undefined {
    return this.kept.extra;
  }

  /** Reads the rules without an allocation. Returns false if there are none. */
  locateRules(into: BytesAt): boolean {
    if (this.kept instanceof FoundText) return this.kept.locateExtra(into);
    const { extra } = this.kept;
    if (extra === undefined) return false;
    into.memory = extra;
    into.from = 0;
    into.to = extra.length;
    return true;
  }

  get isRemembered(): boolean {
    return this.kept instanceof FoundText;
  }

  /** The cached value; its stamp is assigned when it is set. */
  get cached(): CachedText {
    const { text, label, extra, number, stamp, mark, reference } = this.kept;
    return { text, label, extra, number, stamp, mark, reference };
  }

  /**
   * Notes a use, at most once per interval, because the times are written to storage. The digest is that of its value.
   */
  noteUse(uses: KeyUses, { words }: Digest, now: number): void {
    const { kept } = this;
    const { mark = 0, reference: seq = 0 } = kept;
    const slot = useSlot(now);
    if (mark === slot) return;
    const isFirst = usePeriod(seq, mark) !== usePeriod(seq, slot);
    const isNoted = isFirst ? uses.addFirst(seq, words, now) : uses.addLater(seq, now);
    if (isNoted && kept instanceof FoundText) kept.mark = slot;
  }

  get identity(): KeyIdentity {
    return this.keys ? this.keys.identityOf(this.kept) : readIdentity(this.kept);
  }

  get consumerId(): string {
    return this.kept.label;
  }
}

function readIdentity({ text, label: consumerId }: CachedText): KeyIdentity {
  const { keyId, user, permissions = noPermissions } = JSON.parse(text) as ValidVerification;
  const hasMetadata = Object.keys(user.data).length > 0;
  return { keyId, consumerId, user, metadataText: hasMetadata ? asciiJson(user.data) : undefined, permissions };
}
