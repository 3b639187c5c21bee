import type { Act } from "../../../core/access.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { formatDateTime, parseDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findBucket } from "../buckets.ts";
import { findSubscription, type Subscription } from "../subscriptions/subscriptions.ts";

/** Throws 404 if the bucket or the subscription does not exist. */
export async function subscriptionAt(
  reads: Reads,
  act: Act,
  { bucketId, subscriptionId }: { bucketId: string; subscriptionId: string },
): Promise<Subscription> {
  return findSubscription(reads, await findBucket(reads, act.account.seq, bucketId), subscriptionId);
}

export function requireRepresentable(time: number, parameter: string): void {
  if (parseDateTime(formatDateTime(time)) === undefined) throw invalid(parameter, "is out of range");
}
