import type { Change } from "../../../platform/storage/change.ts";
import type { ChangeFeed } from "../../../platform/storage/change-feed.ts";
import type { FollowedCache } from "../../../platform/storage/feed/followed-cache.ts";
import { totalsIn, type WrittenTotal } from "../counters/totals.ts";
import type { CustomerQuota } from "./customer-quota.ts";

type SubscriptionKind = "subscription.created" | "subscription.updated" | "subscription.deleted";

export interface QuotaChangeHandlers {
  /** By customer, in groups by bucket. */
  customers: FollowedCache<CustomerQuota>;
  /** Called before quotas are evicted: a load that has begun may have read what was there before the change. */
  onEvict(): void;
  /** Called with the totals of counters that were written. */
  onCounted(totals: Iterable<WrittenTotal>): void;
}

/** Evicts the cached quotas that a change affects. */
export function followQuotaChanges(feed: ChangeFeed, { customers, onEvict, onCounted }: QuotaChangeHandlers): void {
  const evictCustomer = ({ accountSeq, data }: Change<SubscriptionKind>) => {
    onEvict();
    customers.evict(`${accountSeq} ${data.bucketId} ${data.customerKey}`);
    if (data.bucketName !== undefined) customers.evict(`${accountSeq} ${data.bucketName} ${data.customerKey}`);
  };
  const evictGroup = (group: string) => {
    onEvict();
    customers.evictGroup(group);
  };
  const clear = () => {
    onEvict();
    customers.clear();
  };
  // Evicts entries that cached it under another name, and entries that cached its absence under this one.
  const evictBucket = ({
    accountSeq,
    subject,
    data,
  }: Change<"metering-bucket.created" | "metering-bucket.updated">) => {
    evictGroup(`${accountSeq} ${subject}`);
    if (data.bucketName !== undefined) customers.evictGroup(`${accountSeq} ${data.bucketName}`);
  };
  feed.follow(
    "quotas",
    {
      "subscription.created": evictCustomer,
      "subscription.updated": evictCustomer,
      "subscription.deleted": evictCustomer,
      "metering-bucket.created": evictBucket,
      "metering-bucket.updated": evictBucket,
      "plan.updated": ({ accountSeq, data }) => evictGroup(`${accountSeq} ${data.bucketId}`),
      "metering-bucket.deleted": ({ accountSeq, subject }) => evictGroup(`${accountSeq} ${subject}`),
      "account.deleted": clear,
      "usage.counted": ({ data }) => onCounted(totalsIn(data)),
    },
    clear,
  );
}
