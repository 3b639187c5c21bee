import type { z } from "zod";
import { type Act, allows, type Role } from "../../../core/access.ts";
import { existing, invalid, Problem } from "../../../core/problems/problem.ts";
import { type Keyring, MissingKey } from "../../../lib/crypto/keyring.ts";
import {
  checksumHolds,
  generateSecret,
  hashToText,
  secretHash,
  secretHashText,
} from "../../../lib/crypto/secret-text.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { UniqueViolation } from "../../../platform/storage/errors.ts";
import { findRow, lockRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../consumer-addresses/consumer-address.ts";
import { type KeyBucket, markLookalikeKeys } from "../key-buckets/key-buckets.ts";
import { storedRules } from "./fields.ts";
import { recordCreated, recordKeyChange, recordRolled } from "./key-changes.ts";
import { countChanged, type KeyConsumer } from "./key-lists.ts";
import { maskedKey, type PresentedKey, presentKey } from "./present.ts";
import type { KeyFormat, keyInput, keyPatch } from "./schema.ts";
import * as store from "./store.ts";
import { parseHash, visibleSuffix } from "./value.ts";

export type Key = store.KeyRow;

export type KeyInput = z.output<typeof keyInput>;

export type KeyPatch = z.output<typeof keyPatch>;

const sealPurpose = "api-key";

/** The maximum size of the keys that are included in consumers, in characters: about 50,000 keys without rules. */
const maxIncluded = 16 * 1024 * 1024;

function sizeOf({ description, permissions, allowed_ips, metadata }: Key): number {
  const texts = [description, permissions, allowed_ips, metadata];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 300);
}

export class Keys {
  constructor(private readonly keyring: Keyring) {}

  /** Creates all keys or none. `pointer` returns the position of the n-th key in the request. */
  async create(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    inputs: KeyInput[],
    pointer: (index: number) => string,
  ): Promise<PresentedKey[]> {
    rejectRepeated(inputs, pointer);
    const values = inputs.map((input) => (input.hash ? undefined : (input.key ?? generateSecret(bucket.key_prefix))));
    const rows = inputs.map((input, index) => this.#newRow(act, bucket, consumer, values[index], input));
    await rejectingTaken(store.insertKeys(transaction, bucket, consumer, rows));
    await markLookalikes(transaction, act, bucket, inputs);
    recordCreated(transaction, act, bucket, consumer, rows);
    return rows.map((row, index) => presentKey(row, values[index] ?? maskedKey(row)));
  }

  async list(reads: Reads, consumer: ConsumerReference, paging: Paging, format: KeyFormat) {
    const { data, total } = await store.listKeys(reads, consumer.seq, paging);
    const values = data.map((key) => this.#valueOf(key, format));
    return { keys: data, present: (key: Key, index: number) => presentKey(key, values[index]), total };
  }

  /** The number of a consumer's keys that have not expired. */
  countUnexpired(reads: Reads, consumer: ConsumerReference, now: number): Promise<number> {
    return store.countUnexpired(reads, consumer.seq, now);
  }

  /** The newest valid key of a consumer, else its newest key: the one whose rules a further key gets. */
  async findModel(reads: Reads, consumer: ConsumerReference, now: number) {
    const key = await store.findModelKey(reads, consumer.seq, now);
    return key && { key: presentKey(key, undefined), isValid: isValid(key, now) };
  }

  /** Returns the keys of many consumers, by the consumers' seq. */
  async keysByConsumer(reads: Reads, seqs: number[], format: KeyFormat): Promise<Map<number, PresentedKey[]>> {
    const bySeq = new Map<number, PresentedKey[]>(seqs.map((seq) => [seq, []]));
    if (seqs.length === 0) return bySeq;
    let size = 0;
    for await (const page of store.keysOfConsumers(reads, seqs))
      for (const key of page) {
        size += sizeOf(key);
        if (size > maxIncluded)
          throw invalid(
            "?include-api-keys",
            "would include more than 16 MiB of keys: lower the limit, or list the keys",
          );
        bySeq.get(key.consumer_seq)!.push(this.present(key, format));
      }
    return bySeq;
  }

  find(reads: Reads, consumer: ConsumerReference, id: string): Promise<Key> {
    const row = findRow(reads, "api_keys", { consumer_seq: consumer.seq, id });
    return existing(store.keyWithLastUse(reads, row), "key");
  }

  /** A new value replaces the old one immediately. */
  async update(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    id: string,
    patch: KeyPatch,
    precondition: Precondition,
  ): Promise<Key> {
    const key = await this.#findForUpdate(transaction, consumer, id);
    precondition(key);
    if (Object.values(patch).every((value) => value === undefined)) return key;
    const changed = {
      ...(patch.key === undefined ? {} : { ...this.#stored(bucket, patch.key), leak: null }),
      ...(patch.expiresOn === undefined ? {} : { expires_on: patch.expiresOn }),
      ...(patch.description === undefined ? {} : { description: patch.description }),
      ...storedRules(patch),
      version: key.version + 1,
      updated_on: act.now,
    };
    const updated = { ...key, ...changed };
    await rejectingTaken(transaction.update("api_keys", key.seq, changed));
    if (patch.permissions !== undefined) await store.replacePermissions(transaction, [updated]);
    countChanged(transaction, bucket, key, updated);
    await markLookalikes(transaction, act, bucket, [patch]);
    recordKeyChange(transaction, act, "key.updated", bucket, consumer, key, {
      before: presentKey(key, undefined),
      after: presentKey(updated, undefined),
      changed: patch.key === undefined ? undefined : ["/key"],
    });
    return updated;
  }

  async delete(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    id: string,
    precondition: Precondition,
  ): Promise<void> {
    const key = await this.#findForUpdate(transaction, consumer, id);
    precondition(key);
    await store.deleteKey(transaction, bucket, consumer, key);
    recordKeyChange(transaction, act, "key.deleted", bucket, consumer, key, { before: presentKey(key, undefined) });
  }

  /** Sets the expiry of keys without one, and creates a new key without an expiry. Returns the new key's id. */
  async roll(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    expiresOn: number,
  ): Promise<string> {
    const expiring = await store.expireUnlimitedKeys(transaction, consumer.seq, expiresOn, act.now);
    const row = {
      ...this.#newRow(act, bucket, consumer, generateSecret(bucket.key_prefix), {}),
      ...rulesAfter(expiring),
    };
    await rejectingTaken(store.insertKeys(transaction, bucket, consumer, [row]));
    recordRolled(transaction, act, bucket, consumer, row.id, expiring, expiresOn);
    return row.id;
  }

  /**
   * Creates a key without an expiry that has the description and rules of the given one, and sets the expiry of that
   * one. An earlier expiry is not changed. Returns the new key with its value. Throws `key_not_rollable` if the key is
   * disabled or has expired.
   */
  async rollOne(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    id: string,
    expiresOn: number,
  ): Promise<PresentedKey> {
    const key = await this.#findForUpdate(transaction, consumer, id);
    if (!isValid(key, act.now)) throw new Problem("key_not_rollable");
    const expiry = Math.min(key.expires_on ?? expiresOn, expiresOn);
    const changed = { expires_on: expiry, version: key.version + 1, updated_on: act.now };
    await transaction.update("api_keys", key.seq, changed);
    countChanged(transaction, bucket, key, { ...key, ...changed });
    const value = generateSecret(bucket.key_prefix);
    const row = {
      ...this.#newRow(act, bucket, consumer, value, {}),
      description: key.description,
      ...rulesAfter([key]),
    };
    await rejectingTaken(store.insertKeys(transaction, bucket, consumer, [row]));
    recordRolled(transaction, act, bucket, consumer, row.id, [key], expiry);
    return presentKey(row, value);
  }

  present(key: Key, format: KeyFormat): PresentedKey {
    return presentKey(key, this.#valueOf(key, format));
  }

  #valueOf(key: Key, format: KeyFormat): string | undefined {
    if (format === "none") return undefined;
    const isShown = format === "visible" && key.sealed !== null;
    return isShown ? this.#open(key.id, key.sealed!) : maskedKey(key);
  }

  /** The operator may have declared an encryption key lost. Its keys still verify, but their values cannot be shown. */
  #open(id: string, sealed: Uint8Array): string {
    try {
      return this.keyring.open(sealed, sealPurpose);
    } catch (error) {
      if (!(error instanceof MissingKey)) throw error;
      throw new Problem("key_value_lost", {
        detail: `The value of key ${id} is encrypted with key ${error.keyName}, which this server does not have. The key keeps working; request \`masked\` or \`none\`, or roll it.`,
      });
    }
  }

  #findForUpdate(transaction: WriteTransaction, consumer: ConsumerReference, id: string): Promise<Key> {
    const row = lockRow(transaction, "api_keys", { consumer_seq: consumer.seq, id });
    return existing(store.keyWithLastUse(transaction, row), "key");
  }

  #newRow(
    act: Act,
    bucket: KeyBucket,
    consumer: ConsumerReference,
    value: string | undefined,
    input: KeyInput,
  ): store.NewKeyRow {
    return {
      id: newId("key", act.now),
      bucket_seq: bucket.seq,
      consumer_seq: consumer.seq,
      ...(value === undefined ? hashOnly(input) : this.#stored(bucket, value)),
      description: input.description ?? null,
      expires_on: input.expiresOn ?? null,
      is_enabled: 1,
      permissions: null,
      allowed_ips: null,
      rate_limit: null,
      metadata: null,
      leak: null,
      ...storedRules(input),
      last_used_on: null,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    };
  }

  #stored(bucket: KeyBucket, value: string) {
    return {
      hash: secretHash(value),
      suffix: visibleSuffix(value),
      sealed: bucket.is_retrievable === 1 ? this.keyring.seal(value, sealPurpose) : null,
    };
  }
}

/**
 * The rules that a key inherits from those it replaces: the rules of the newest valid one. Otherwise a key that is
 * restricted to one office would be followed by an unrestricted one.
 */
function rulesAfter(replaced: store.KeyRow[]) {
  const model = replaced.findLast(({ is_enabled }) => is_enabled === 1) ?? replaced.at(-1);
  if (!model) return {};
  const { permissions, allowed_ips, rate_limit, metadata } = model;
  return { permissions, allowed_ips, rate_limit, metadata };
}

function isValid({ is_enabled, expires_on }: store.KeyRow, now: number): boolean {
  return is_enabled === 1 && (expires_on === null || expires_on > now);
}

/** The columns of a key whose value is unknown. */
function hashOnly({ hash, suffix = "" }: KeyInput) {
  return { hash: parseHash(hash!.sha256)!, suffix, sealed: null };
}

/** Whether this role may see keys of this bucket in this format. */
export function allowKeyFormat(format: KeyFormat, role: Role, bucket: KeyBucket | undefined): void {
  if (format !== "visible") return;
  if (!allows("edit", role)) throw new Problem("forbidden", { detail: "Readers may only see masked keys." });
  if (bucket?.is_retrievable === 0) throw new Problem("keys_not_retrievable");
}

function rejectRepeated(inputs: KeyInput[], pointer: (index: number) => string): void {
  const seen = new Set<string>();
  for (const [index, { key, hash }] of inputs.entries()) {
    if (key === undefined && !hash) continue;
    const text = hash ? hashToText(parseHash(hash.sha256)!) : secretHashText(key!);
    if (seen.has(text)) {
      const member = `${pointer(index)}/${hash ? "hash" : "key"}`;
      const errors = [{ pointer: member, detail: "is the same as an earlier key of this request" }];
      throw new Problem("key_exists", { detail: "The request contains the same key twice.", errors });
    }
    seen.add(text);
  }
}

/** Supplied keys may have the format of generated ones, and the value behind a hash may have any format. */
async function markLookalikes(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  supplied: Pick<KeyInput, "key" | "hash">[],
): Promise<void> {
  if (supplied.some(({ key, hash }) => hash !== undefined || (key !== undefined && !checksumHolds(key))))
    await markLookalikeKeys(transaction, act, bucket);
}

async function rejectingTaken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UniqueViolation && error.constraint === "api_keys_bucket_seq_hash_key"
      ? new Problem("key_exists")
      : error;
  }
}

/** Deletes all keys of a consumer. */
export function deleteKeysOf(
  transaction: WriteTransaction,
  bucket: Pick<KeyBucket, "seq" | "id">,
  consumer: KeyConsumer,
): Promise<void> {
  return store.deleteKeysOf(transaction, bucket, consumer);
}
