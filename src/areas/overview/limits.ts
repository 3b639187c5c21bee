import type { Reads } from "../../platform/storage/storage.ts";
import { listUsage, type UsageShare } from "../metering/usage/usage-list.ts";
import type { MeteringBucket } from "../metering-buckets/metering-buckets.ts";

/** The share of a quota from which on it is near its limit. */
const near = 0.8;
const listed = 8;

interface NearLimit {
  bucketId: string;
  subscriptionId: string;
  customerKey: string;
  share: number;
  meter: string;
  label?: string | undefined;
  used: number;
  max: number;
}

/** The subscriptions that have used most of a quota, those with the largest share first. */
export async function nearLimits(reads: Reads, buckets: MeteringBucket[], now: number) {
  const found: NearLimit[] = [];
  let total = 0;
  let used = 0;
  for (const bucket of buckets) {
    const page = await listUsage(reads, bucket, { near }, now, { limit: listed, offset: 0 });
    total += page.total;
    used += page.used;
    found.push(...page.data.map((usage) => nearLimitOf(bucket.id, usage)));
  }
  return { total, used, data: found.sort((one, other) => other.share - one.share).slice(0, listed) };
}

function nearLimitOf(bucketId: string, { subscriptionId, customerKey, meters }: UsageShare): NearLimit {
  const [meter, { label, share, used, max }] = Object.entries(meters).reduce((largest, each) =>
    each[1].share > largest[1].share ? each : largest,
  );
  return { bucketId, subscriptionId, customerKey, share, meter, ...(label === undefined ? {} : { label }), used, max };
}
