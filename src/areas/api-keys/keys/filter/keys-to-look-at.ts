import type { Reads } from "../../../../platform/storage/storage.ts";
import type { KeyBucket } from "../../key-buckets/key-buckets.ts";
import { countMatches } from "./filter-store.ts";

const day = 86_400_000;
const soonDays = 7;
const idleDays = 90;

/** The buckets with enabled keys that will expire soon, or were not used for long. Expired keys do not count. */
export async function keysToLookAt(reads: Reads, buckets: KeyBucket[], now: number) {
  const found: { bucketName: string; expiring: number; unused: number }[] = [];
  for (const bucket of buckets) {
    const count = (filter: { expiresBefore?: number; unusedSince?: number }) =>
      countMatches(reads, bucket, { ...filter, enabled: true, tags: [] });
    const unusedSince = now - idleDays * day;
    const expired = await count({ expiresBefore: now });
    const expiring = (await count({ expiresBefore: now + soonDays * day })) - expired;
    const unused = (await count({ unusedSince })) - (await count({ unusedSince, expiresBefore: now }));
    if (expiring > 0 || unused > 0) found.push({ bucketName: bucket.name, expiring, unused });
  }
  return found;
}
