import { countMove } from "../../../platform/storage/counted-lists.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { taggedKeyList, tagTexts } from "../consumer-addresses/consumer-tags.ts";
import { keyList } from "../key-buckets/key-buckets.ts";

/** The counted list of a bucket's disabled keys. */
export const disabledKeyList = "keys disabled";

/** The counted list of the keys with exactly this permission. */
export function permissionList(permission: string): string {
  return `keys permission ${permission}`;
}

/** The fields that determine the lists of a key, besides its consumer's tags. */
export interface ListedFields {
  seq: number;
  is_enabled: number;
  permissions: string | null;
}

/** A consumer whose tags cannot change before the transaction ends. */
export interface KeyConsumer {
  seq: number;
  tags: string | null;
}

export function countAdded(
  transaction: WriteTransaction,
  bucket: { id: string },
  consumer: KeyConsumer,
  key: ListedFields,
): void {
  countMove(transaction, bucket.id, key.seq, [], listsOf(key, consumer));
}

export function countRemoved(
  transaction: WriteTransaction,
  bucket: { id: string },
  consumer: KeyConsumer,
  key: ListedFields,
): void {
  countMove(transaction, bucket.id, key.seq, listsOf(key, consumer), []);
}

export function countChanged(
  transaction: WriteTransaction,
  bucket: { id: string },
  before: ListedFields,
  after: Omit<ListedFields, "seq">,
): void {
  countMove(transaction, bucket.id, before.seq, ownLists(before), ownLists(after));
}

function listsOf(key: ListedFields, consumer: KeyConsumer): string[] {
  return [keyList, ...ownLists(key), ...taggedLists(consumer.tags)];
}

function ownLists({ is_enabled, permissions }: Omit<ListedFields, "seq">): string[] {
  const granted = permissions === null ? [] : (JSON.parse(permissions) as string[]).map(permissionList);
  return is_enabled === 0 ? [disabledKeyList, ...granted] : granted;
}

/** Recounts the keys of a consumer whose tags were changed. */
export async function countRetagged(
  transaction: WriteTransaction,
  bucket: { id: string },
  consumerSeq: number,
  before: string | null,
  after: string | null,
): Promise<void> {
  const keys = await transaction.all<{ seq: number }>("SELECT seq FROM api_keys WHERE consumer_seq = ?", [consumerSeq]);
  const [old, current] = [taggedLists(before), taggedLists(after)];
  for (const { seq } of keys) countMove(transaction, bucket.id, seq, old, current);
}

function taggedLists(tags: string | null): string[] {
  return tagTexts(tags).map(taggedKeyList);
}
