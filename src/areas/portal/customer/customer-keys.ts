import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Bucket } from "../../buckets/buckets.ts";
import type { ConsumerReference } from "../../buckets/consumer-address.ts";
import type { Keys } from "../../keys/keys.ts";

/** Lists of keys are not paged: a portal's customers have a few. */
export const maxListed = 1000;

interface Holder {
  bucket: Bucket;
  consumer: ConsumerReference;
}

/**
 * Creates a key with the rules of the customer's newest enabled key: otherwise a customer whose keys are limited could
 * create one without limits. The consumer's row must be locked, so that two requests do not both find room.
 */
export async function createKey(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  { bucket, consumer }: Holder,
  keyLimit: number,
  input: { description?: string | undefined; expiresOn?: number | null | undefined },
) {
  if ((await keys.countUnexpired(transaction, consumer, act.now)) >= keyLimit)
    throw new Problem("key_limit_reached", {
      detail: `The customer has ${keyLimit} keys, as many as this portal allows. Delete one first.`,
    });
  const { keys: rows, present } = await keys.list(transaction, consumer, { limit: maxListed, offset: 0 }, "none");
  const model = rows.map(present).findLast(({ isEnabled }) => isEnabled);
  const { permissions, allowedIps, rateLimit, metadata } = model ?? {};
  const rules = { permissions, allowedIps, rateLimit, metadata };
  const [created] = await keys.create(transaction, act, bucket, consumer, [{ ...input, ...rules }], () => "");
  return created!;
}

/**
 * Replaces a key by a new one. The old one may work for a while, so there may be twice as many keys as the limit:
 * rolling must not fail because the limit is reached.
 */
export async function rollKey(
  transaction: WriteTransaction,
  act: Act,
  keys: Keys,
  { bucket, consumer }: Holder,
  keyLimit: number,
  { keyId, graceHours }: { keyId: string; graceHours: number },
) {
  if ((await keys.countUnexpired(transaction, consumer, act.now)) >= 2 * keyLimit)
    throw new Problem("key_limit_reached", {
      detail: "Too many rolled keys still work. Delete one of them, or wait until it has expired.",
    });
  const expiresOn = act.now + graceHours * 60 * 60 * 1000;
  return keys.rollOne(transaction, act, bucket, consumer, keyId, expiresOn);
}
