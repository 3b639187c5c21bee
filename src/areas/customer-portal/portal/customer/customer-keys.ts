import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import type { KeyBucket } from "../../../api-keys/key-buckets/key-buckets.ts";
import type { Keys } from "../../../api-keys/keys/keys.ts";
import type { PresentedKey } from "../../../api-keys/keys/present.ts";
import * as store from "../store.ts";

/** Lists of keys are not paged: a portal's customers have a few. */
export const maxListed = 1000;

interface Holder {
  bucket: KeyBucket;
  consumer: ConsumerReference;
  settings: { keyLimit: number };
}

/**
 * Creates a key with the rules of the customer's newest valid key, else of the newest that they ever had: otherwise a
 * customer whose keys are limited could disable or delete them, and create one without limits. The consumer's row must be locked, so that two requests do not both find room.
 */
export async function createKey(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  { bucket, consumer, settings: { keyLimit } }: Holder,
  input: { description?: string | undefined; expiresOn?: number | null | undefined },
) {
  if ((await keys.countUnexpired(transaction, consumer, act.now)) >= keyLimit)
    throw new Problem("key_limit_reached", {
      detail: `The customer has ${keyLimit} keys, as many as this portal allows. Delete one first.`,
    });
  const rules = await rulesOfNewKey(transaction, keys, consumer, act.now);
  const [created] = await keys.create(transaction, act, bucket, consumer, [{ ...input, ...rules }], () => "");
  return created!;
}

/**
 * Replaces a key by a new one. The old one may work for a while, so there may be twice as many keys as the limit:
 * rolling must not fail because the limit is reached.
 */
export async function rollCustomerKey(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  { bucket, consumer, settings: { keyLimit } }: Holder,
  { keyId, graceHours }: { keyId: string; graceHours: number },
) {
  if ((await keys.countUnexpired(transaction, consumer, act.now)) >= 2 * keyLimit)
    throw new Problem("key_limit_reached", {
      detail: "Too many rolled keys still work. Delete one of them, or wait until it has expired.",
    });
  const expiresOn = act.now + graceHours * 60 * 60 * 1000;
  return keys.rollOne(transaction, act, bucket, consumer, keyId, expiresOn);
}

/** Deletes a key, and stores its rules for those that the customer creates afterwards. */
export async function deleteCustomerKey(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  { bucket, consumer }: Omit<Holder, "settings">,
  keyId: string,
  precondition: Precondition,
): Promise<void> {
  const key = await keys.find(transaction, consumer, keyId);
  const rules = rulesOf(keys.present(key, "none"));
  await keys.delete(transaction, act, bucket, consumer, keyId, precondition);
  const row = {
    consumer_seq: consumer.seq,
    key_id: keyId,
    key_created_on: key.created_on,
    rules: JSON.stringify(rules),
  };
  await store.recordDeletedKey(transaction, row);
}

/** The rules that a key gets which the customer creates now. */
export async function rulesOfNewKey(
  reads: Reads,
  keys: Keys,
  consumer: ConsumerReference,
  now: number,
): Promise<NewKeyRules> {
  const model = await keys.findModel(reads, consumer, now);
  if (model?.isValid) return rulesOf(model.key);
  const deleted = await store.findDeletedKey(reads, consumer.seq);
  if (deleted && (!model || isNewer(deleted, model.key))) return JSON.parse(deleted.rules) as NewKeyRules;
  return model ? rulesOf(model.key) : {};
}

function isNewer({ key_id, key_created_on }: store.DeletedKeyRow, key: PresentedKey): boolean {
  const later = key_created_on - Date.parse(key.createdOn);
  return later > 0 || (later === 0 && key_id > key.id);
}

export type NewKeyRules = Pick<PresentedKey, "permissions" | "allowedIps" | "rateLimit" | "metadata">;

const rulesOf = ({ permissions, allowedIps, rateLimit, metadata }: PresentedKey): NewKeyRules => ({
  ...(permissions && { permissions }),
  ...(allowedIps && { allowedIps }),
  ...(rateLimit && { rateLimit }),
  ...(metadata && { metadata }),
});
