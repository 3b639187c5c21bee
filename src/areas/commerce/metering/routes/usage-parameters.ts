import type { Act } from "../../../../core/access.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import { formatDateTime, parseDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";

/** Returns a subscription and the time in its bucket. Throws 404 if the bucket or the subscription does not exist. */
export async function subscriptionAt(
  reads: Reads,
  act: Act,
  { bucketId, subscriptionId }: { bucketId: string; subscriptionId: string },
): Promise<{ bucket: MeteringBucket; subscription: Subscription; now: number }> {
  const bucket = await findMeteringBucket(reads, act.account.seq, bucketId);
  return { bucket, subscription: await findSubscription(reads, bucket, subscriptionId), now: timeIn(bucket, act.now) };
}

export function requireRepresentable(time: number, parameter: string): void {
  if (parseDateTime(formatDateTime(time)) === undefined) throw invalid(parameter, "is out of range");
}
