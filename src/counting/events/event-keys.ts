import type { WriteTransaction } from "../../platform/storage/storage.ts";
import { isPartitioned, keptSince } from "./event-table.ts";

/** The digest of an event's source and id, as a UUID without hyphens. Neither contains a NUL character. */
export function digestOf(source: string, id: string): string {
  return new Bun.CryptoHasher("sha256").update(`${source}\0${id}`).digest("hex").slice(0, 32);
}

/** The same in SQL, for the columns of a table. */
export const digestIn = (table: string) =>
  `encode(substring(sha256(convert_to(${table}.source, 'UTF8') || '\\x00'::bytea || convert_to(${table}.event_id, 'UTF8')) FOR 16), 'hex')::uuid`;

/** What a key is derived from. */
interface KeyedRow {
  bucket_seq: number;
  source: string;
  event_id: string;
  part: number;
  received_on: number;
}

/** Removes the keys of events that are removed: their ids are new from then on. */
export async function removeKeys(transaction: WriteTransaction, rows: KeyedRow[]): Promise<void> {
  const firstParts = rows.filter(({ part }) => part === 0);
  if (firstParts.length === 0) return;
  await transaction.run(
    `DELETE FROM usage_event_keys AS keys USING ${keysParameter}
     WHERE (keys.bucket_seq, keys.digest, keys.received_on) = (given.bucket_seq, given.digest, given.received_on)`,
    keysOf(firstParts),
  );
}

const keysParameter =
  "unnest(CAST(? AS bigint[]), CAST(? AS uuid[]), CAST(? AS bigint[])) AS given (bucket_seq, digest, received_on)";

function keysOf(rows: KeyedRow[]): unknown[] {
  // Sorted, so that two transactions with keys in common cannot deadlock.
  const keys = rows.map((row) => ({ ...row, digest: digestOf(row.source, row.event_id) }));
  keys.sort((one, other) => one.bucket_seq - other.bucket_seq || (one.digest < other.digest ? -1 : 1));
  return [
    keys.map(({ bucket_seq }) => bucket_seq),
    keys.map(({ digest }) => digest),
    keys.map(({ received_on }) => received_on),
  ];
}

/**
 * Deletes the events of a subscription and their keys. It is deleted already: transactions that counted its events have
 * ended.
 */
export async function deleteEventsOf(transaction: WriteTransaction, subscriptionSeq: number): Promise<void> {
  if (!isPartitioned(transaction))
    return transaction.run("DELETE FROM usage_events WHERE subscription_seq = ?", [subscriptionSeq]);
  await transaction.run(deleteWithKeys("subscription_seq = ? AND received_on >= ?"), [
    subscriptionSeq,
    await keptSince(transaction),
  ]);
}

/** Deletes events of a subscription with their keys, up to a number of rows. Only in partitions. */
export async function deleteSomeEventsOf(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  rows: number,
): Promise<number> {
  const found = await transaction.all<{ seq: number; received_on: number }>(
    "SELECT seq, received_on FROM usage_events WHERE subscription_seq = ? AND received_on >= ? LIMIT ?",
    [subscriptionSeq, await keptSince(transaction), rows],
  );
  if (found.length === 0) return 0;
  const receipts = found.map(({ received_on }) => received_on);
  await transaction.run(deleteWithKeys("seq = ANY(CAST(? AS bigint[])) AND received_on >= ? AND received_on <= ?"), [
    found.map(({ seq }) => seq),
    Math.min(...receipts),
    Math.max(...receipts),
  ]);
  return found.length;
}

const deleteWithKeys = (condition: string) => `WITH gone AS (
    DELETE FROM usage_events WHERE ${condition} RETURNING bucket_seq, source, event_id, part, received_on)
  DELETE FROM usage_event_keys AS keys USING gone WHERE gone.part = 0 AND keys.bucket_seq = gone.bucket_seq
    AND keys.digest = ${digestIn("gone")} AND keys.received_on = gone.received_on`;

/** Deletes keys of a bucket that is being removed, up to a number. */
export async function deleteSomeKeysOf(
  transaction: WriteTransaction,
  bucketSeq: number,
  rows: number,
): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM usage_event_keys WHERE (bucket_seq, digest) IN (
       SELECT bucket_seq, digest FROM usage_event_keys WHERE bucket_seq = ? LIMIT ?) RETURNING 1 AS removed`,
    [bucketSeq, rows],
  );
  return removed.length;
}
