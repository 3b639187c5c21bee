import type { Act } from "../../core/access.ts";
import type { ChangedResource } from "../../core/changes/details.ts";
import { maxListedIds, recordChange } from "../../core/changes/record.ts";
import { hashToText } from "../../lib/crypto/secret-text.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import { type ConsumerReference, namedConsumer } from "../key-buckets/consumer-address.ts";
import type { KeyBucket } from "../key-buckets/key-buckets.ts";
import { presentKey } from "./present.ts";
import type { KeyRow, NewKeyRow } from "./store.ts";

type NamedHolder = Pick<ConsumerReference, "id" | "name">;

export function recordKey(
  transaction: WriteTransaction,
  act: Act,
  kind: "key.updated" | "key.deleted" | "key.leaked",
  bucket: Pick<KeyBucket, "id" | "name">,
  holder: NamedHolder,
  key: KeyRow,
  what: Pick<ChangedResource, "before" | "after" | "changed">,
): void {
  const event = { ...(what.after ?? what.before), ...bucketOf(bucket) };
  const resource = { type: "key", id: key.id, parent: namedConsumer(holder), ...what, event };
  recordChange(transaction, act, kind, resource, { bucketSeq: key.bucket_seq, hash: hashToText(key.hash) });
}

/** Records one change for the new key and those that it replaces. */
export function recordRolled(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  holder: ConsumerReference,
  keyId: string,
  expiring: KeyRow[],
  expiresOn: number,
): void {
  const expiry = { expiresOn: formatDateTime(expiresOn) };
  const after = {
    consumer: { id: holder.id, name: holder.name },
    keyId,
    expiring: expiring.map(({ id }) => id),
    ...expiry,
  };
  const event = { ...after, ...bucketOf(bucket) };
  const resource = { type: "key", id: keyId, subject: holder.id, parent: namedConsumer(holder), after, event };
  recordChange(transaction, act, "key.rolled", resource, expiry);
}

/** Records one change for all of them: the key itself if there is one, else their number. */
export function recordCreated(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  holder: ConsumerReference,
  rows: NewKeyRow[],
): void {
  const keyIds = rows.map((row) => row.id);
  const resource = rows.length === 1 ? createdKey(bucket, holder, rows[0]!) : createdKeys(bucket, holder, keyIds);
  recordChange(transaction, act, "key.created", { ...resource, subject: holder.id }, { keyIds });
}

function createdKey(bucket: KeyBucket, holder: ConsumerReference, newKey: NewKeyRow): ChangedResource {
  const after = presentKey(newKey, undefined);
  const event = { ...after, ...bucketOf(bucket) };
  return { type: "key", id: newKey.id, parent: namedConsumer(holder), after, event };
}

function createdKeys(bucket: KeyBucket, holder: ConsumerReference, keyIds: string[]): ChangedResource {
  const { id, name } = holder;
  const event = { consumer: { id, name }, ...bucketOf(bucket), ids: keyIds.slice(0, maxListedIds) };
  return { ...namedConsumer(holder), counts: { keys: keyIds.length }, event };
}

function bucketOf({ id, name }: Pick<KeyBucket, "id" | "name">) {
  return { bucket: { id, name } };
}
