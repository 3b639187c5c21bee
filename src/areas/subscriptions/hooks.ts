import type { Act } from "../../core/access.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import type { Subscription } from "./subscriptions.ts";

/** What other areas do in the transaction that changes a subscription. */
export interface SubscriptionHooks {
  /** Called before anything is locked. */
  creating(transaction: WriteTransaction, bucket: MeteringBucket, customerKey: string): Promise<void>;
  created(transaction: WriteTransaction, act: Act, bucket: MeteringBucket, created: Subscription): Promise<void>;
  /** Called before the change, with the subscription locked. */
  changing(transaction: WriteTransaction, act: Act, bucket: MeteringBucket, id: string): Promise<void>;
  changed(
    transaction: WriteTransaction,
    act: Act,
    bucket: MeteringBucket,
    before: Subscription,
    after: Subscription,
  ): Promise<void>;
  /**
   * Called before the subscription is deleted. Returns until when its usage is kept, because more of it may arrive and must
   * be billed. Undefined if it is deleted with the subscription.
   */
  deleting(transaction: WriteTransaction, act: Act, bucket: MeteringBucket, id: string): Promise<number | undefined>;
}
