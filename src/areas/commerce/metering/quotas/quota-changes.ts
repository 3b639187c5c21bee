import { totalsIn, type WrittenTotal } from "../../../../counting/counters/totals.ts";
import type { CustomerPlace } from "../../../../counting/quotas/customer-place.ts";
import type { CustomerQuota } from "../../../../counting/quotas/customer-quota.ts";
import type { Change } from "../../../../platform/storage/change.ts";
import type { FollowedCache } from "../../../../platform/storage/change-feed/followed-cache.ts";
import type { ChangeFeed } from "../../../../platform/storage/change-feed.ts";

type SubscriptionKind = "subscription.created" | "subscription.updated" | "subscription.deleted";

interface QuotaChangeHandlers {
  /** By customer, in groups by bucket. */
  customers: FollowedCache<CustomerQuota>;
  /** Called before quotas are evicted: a load that has begun may have read what was there before the change. */
  onEvict(): void;
  onGap(): void;
  /** Called with the totals of counters that were written. */
  onCounted(totals: Iterable<WrittenTotal>): void;
}

/**
 * Calls `giveUp` with a test for the customers whose quotas a change affects, in a process that does not cache quotas.
 * These are the changes that evict quotas.
 */
export function followChangedCustomers(
  feed: ChangeFeed,
  giveUp: (concerns: (customer: CustomerPlace) => boolean) => void,
): void {
  const customerChanged = ({ accountSeq, data }: Change<SubscriptionKind>) =>
    giveUp((customer) => customer.accountSeq === accountSeq && customer.customerKey === data.customerKey);
  const accountChanged = ({ accountSeq }: Change) => giveUp((customer) => customer.accountSeq === accountSeq);
  feed.follow(
    "quotas",
    {
      "subscription.created": customerChanged,
      "subscription.updated": customerChanged,
      "subscription.deleted": customerChanged,
      "metering-bucket.created": accountChanged,
      "metering-bucket.updated": accountChanged,
      "metering-bucket.deleted": accountChanged,
      "plan.updated": accountChanged,
      "account.deleted": () => giveUp(() => true),
    },
    () => giveUp(() => true),
  );
}

/** Evicts the cached quotas that a change affects. */
export function followQuotaChanges(
  feed: ChangeFeed,
  { customers, onEvict, onGap, onCounted }: QuotaChangeHandlers,
): void {
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
    onGap,
  );
}
