import type { Reads } from "../../../platform/storage/storage.ts";
import { withLastUse } from "./key-use-store.ts";

interface UsedKey {
  seq: number;
  consumer_seq: number;
  last_used_on: number;
  created_on: number;
}

const keysAtOnce = 1000;
/** Consumers with very many used keys must not make a list slow. */
const maxKeys = 100_000;

const usedKeys = `SELECT seq, consumer_seq, last_used_on, created_on FROM api_keys
  WHERE bucket_seq = ? AND last_used_on IS NOT NULL AND (last_used_on, created_on, seq) < (?, ?, ?)
  ORDER BY last_used_on DESC, created_on DESC, seq DESC LIMIT ${keysAtOnce}`;

/**
 * Returns the `seq` of the first `wanted` consumers of a bucket by the last use of their keys, the latest first. It reads
 * the index of last uses, which has one use per period and key: the order is exact only among those of a page, and the
 * keys of later pages may have been used up to a period later. Consumers whose keys were never used are omitted.
 */
export async function consumersByLastUse(
  reads: Reads,
  bucketSeq: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ before: number[]; page: number[] }> {
  const keys = new Map<number, UsedKey>();
  let [time, created, seq] = [Number.MAX_SAFE_INTEGER, 0, 0];
  for (let read = 0; read < maxKeys && keys.size < offset + limit; ) {
    const rows = await reads.all<UsedKey>(usedKeys, [bucketSeq, time, created, seq]);
    for (const row of rows) if (!keys.has(row.consumer_seq)) keys.set(row.consumer_seq, row);
    if (rows.length < keysAtOnce) break;
    read += rows.length;
    ({ last_used_on: time, created_on: created, seq } = rows.at(-1)!);
  }
  const found = [...keys.values()];
  const page = await withLastUse(reads, found.slice(offset, offset + limit));
  page.sort((one, other) => other.last_used_on - one.last_used_on);
  const consumer = ({ consumer_seq }: UsedKey) => consumer_seq;
  return { before: found.slice(0, offset).map(consumer), page: page.map(consumer) };
}
