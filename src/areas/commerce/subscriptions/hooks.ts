import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import type { Subscription } from "./subscriptions.ts";

/** What other areas do in the transaction that changes a subscription. */
export interface SubscriptionHooks {
  /** Called before anything is locked. */
  creating(transaction: WriteTransaction, bucket: MeteringBucket, customerKey: string): Promise<void>;
  created(context: BucketContext, created: Subscription): Promise<void>;
  /** Called before the change. Locks the subscription, and returns it. */
  changing(context: BucketContext, id: string): Promise<Subscription>;
  changed(context: BucketContext, before: Subscription, after: Subscription): Promise<void>;
  /**
   * Called before the subscription is deleted. Returns until when its usage is kept, because more of it may arrive and must
   * be billed. Undefined if it is deleted with the subscription.
   */
  deleting(context: BucketContext, id: string): Promise<number | undefined>;
}
