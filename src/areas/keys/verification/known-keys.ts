import type { z } from "zod";
import type { Digest } from "../../../lib/cache/digest.ts";
import { type BytesAt, type CachedText, FoundText, TextCache } from "../../../lib/cache/text-cache.ts";
import { asciiJson } from "../../../lib/text/ascii-json.ts";
import type { verification } from "../schema.ts";
import type { KeyUses } from "../uses/key-uses.ts";
import { blockOf, periodMilliseconds } from "../uses/use-store.ts";

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
  permissions: readonly string[];
}

/** How many identities are kept ready: each takes about 500 bytes, and 1 µs to read anew. */
const identityPlaces = 32_768;
/** Metadata may make it 16 kB: such are read anew each time. */
const longestKept = 4096;
/** A use within so long of one that was noted is not noted: with the time until it is written, less than a minute. */
const useMilliseconds = 45_000;
const turnsPerPeriod = periodMilliseconds / useMilliseconds;
const noPermissions: readonly string[] = [];

/** The turn of a use, by which a known key remembers it. */
export function useTurn(usedOn: number): number {
  return Math.floor(usedOn / useMilliseconds);
}

/** Periods do not begin for all keys at once, but for the keys of a block: their rows lie side by side. */
function usePeriod(seq: number, turn: number): number {
  return Math.floor((turn + blockOf(seq)) / turnsPerPeriod);
}

/**
 * What is remembered of keys: the verification as text, the same at every use until the key changes or expires. A
 * million of them take about 350 MB. Who holds a key is read from the text when a gateway needs it: verify-key needs only the text.
 */
export class KnownKeys {
  readonly #texts: TextCache;
  /** Of the keys used last by gateways, each in the place of its stamp; a stamp is never given twice. */
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

  get rejection(): undefined {
    return undefined;
  }

  get retryAfterSeconds(): undefined {
    return undefined;
  }

  /** What has to be checked at each use, encoded; undefined if there is nothing. */
  get rules(): Buffer | undefined {
    return this.kept.extra;
  }

  /** The same without an allocation. False if there is nothing to check. */
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

  /** What is cached of it; its stamp is given when it is set. */
  get cached(): CachedText {
    const { text, label, extra, number, stamp, mark, reference } = this.kept;
    return { text, label, extra, number, stamp, mark, reference };
  }

  /** Notes that it is used: once in a while, as the times are written to storage. The digest is that of its value. */
  noteUse(uses: KeyUses, { words }: Digest, now: number): void {
    const { kept } = this;
    const { mark = 0, reference: seq = 0 } = kept;
    const turn = useTurn(now);
    if (mark === turn) return;
    const isFirst = usePeriod(seq, mark) !== usePeriod(seq, turn);
    const isNoted = isFirst ? uses.addFirst(seq, words, now) : uses.addLater(seq, now);
    if (isNoted && kept instanceof FoundText) kept.mark = turn;
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
