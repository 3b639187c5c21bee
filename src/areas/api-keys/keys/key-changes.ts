import type { Act } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { maxListedIds, recordChange } from "../../../core/changes/record.ts";
import { hashToText } from "../../../lib/crypto/secret-text.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { type ConsumerReference, namedConsumer } from "../consumer-addresses/consumer-address.ts";
import type { KeyBucket } from "../key-buckets/key-buckets.ts";
import { presentKey } from "./present.ts";
import type { KeyRow, NewKeyRow } from "./store.ts";

type NamedConsumer = Pick<ConsumerReference, "id" | "name">;

export function recordKeyChange(
  transaction: WriteTransaction,
  act: Act,
  kind: "key.updated" | "key.deleted" | "key.leaked",
  bucket: Pick<KeyBucket, "id" | "name">,
  consumer: NamedConsumer,
  key: KeyRow,
  change: Pick<ChangedResource, "before" | "after" | "changed">,
): void {
  const webhookState = { ...(change.after ?? change.before), ...bucketField(bucket) };
  const resource = { type: "key", id: key.id, parent: namedConsumer(consumer), ...change, event: webhookState };
  recordChange(transaction, act, kind, resource, { bucketSeq: key.bucket_seq, hash: hashToText(key.hash) });
}

/** Records one change for the new key and those that it replaces. */
export function recordRolled(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  consumer: ConsumerReference,
  keyId: string,
  expiring: KeyRow[],
  expiresOn: number,
): void {
  const expiry = { expiresOn: formatDateTime(expiresOn) };
  const after = {
    consumer: { id: consumer.id, name: consumer.name },
    keyId,
    expiring: expiring.map(({ id }) => id),
    ...expiry,
  };
  const webhookState = { ...after, ...bucketField(bucket) };
  const resource = {
    type: "key",
    id: keyId,
    subject: consumer.id,
    parent: namedConsumer(consumer),
    after,
    event: webhookState,
  };
  recordChange(transaction, act, "key.rolled", resource, expiry);
}

/**
 * Records one change for all new keys of a request. Its resource is the key if there is only one, else the consumer with
 * the number of keys.
 */
export function recordCreated(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  consumer: ConsumerReference,
  rows: NewKeyRow[],
): void {
  const keyIds = rows.map((row) => row.id);
  const resource = rows.length === 1 ? createdKey(bucket, consumer, rows[0]!) : createdKeys(bucket, consumer, keyIds);
  recordChange(transaction, act, "key.created", { ...resource, subject: consumer.id }, { keyIds });
}

function createdKey(bucket: KeyBucket, consumer: ConsumerReference, newKey: NewKeyRow): ChangedResource {
  const after = presentKey(newKey, undefined);
  const webhookState = { ...after, ...bucketField(bucket) };
  return { type: "key", id: newKey.id, parent: namedConsumer(consumer), after, event: webhookState };
}

function createdKeys(bucket: KeyBucket, consumer: ConsumerReference, keyIds: string[]): ChangedResource {
  const { id, name } = consumer;
  const webhookState = { consumer: { id, name }, ...bucketField(bucket), ids: keyIds.slice(0, maxListedIds) };
  return { ...namedConsumer(consumer), counts: { keys: keyIds.length }, event: webhookState };
}

function bucketField({ id, name }: Pick<KeyBucket, "id" | "name">) {
  return { bucket: { id, name } };
}
