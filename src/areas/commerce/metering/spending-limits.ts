import type { ShortageCode, SpendBudget } from "../../../counting/quotas/quota-definition.ts";
import type { Amount } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import type { SubscriptionRow } from "../subscriptions/subscriptions.ts";

/** The reasons that a payment removes. */
export type PaymentReason = Exclude<ShortageCode, "quota_exceeded"> | "payment_required";

/** Units that a customer's grants add to a meter: usage is compared with credits from `base` on. */
export interface MeterCredits {
  base: Amount;
  units: Amount;
}

/** What grants and caps of a customer change in the limits of a subscription's period. */
export interface SpendingLimits {
  meters: ReadonlyMap<string, MeterCredits>;
  budget: SpendBudget | undefined;
  /** When a grant becomes usable or expires. */
  validUntil: number;
}

/** Reads the credits of a customer. Another area has them. */
export type SpendingLimitSource = (
  reads: Reads,
  bucket: MeteringBucket,
  row: SubscriptionRow,
  period: Period,
  now: number,
) => Promise<SpendingLimits>;

/** The units of grants that are left after a total. */
export function creditsAfter({ base, units }: MeterCredits, total: Amount): Amount {
  const limit = base + units;
  const from = total > base ? total : base;
  return limit > from ? limit - from : 0n;
}

/** Without grants and caps: nothing to compare. */
export async function spendingLimitsOf(
  source: SpendingLimitSource | undefined,
  reads: Reads,
  bucket: MeteringBucket,
  row: SubscriptionRow,
  period: Period,
  now: number,
): Promise<SpendingLimits | undefined> {
  return source && row.has_credits === 1 ? source(reads, bucket, row, period, now) : undefined;
}
