import type { Amount } from "../../lib/amount.ts";
import type { Period } from "../../lib/time/calendar.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import type { SubscriptionRow } from "../subscriptions/subscription-rows.ts";

/** Why usage is rejected: nothing is left until the next period, or until somebody pays. */
export type ShortageCode = "quota_exceeded" | "credit_exhausted" | "spend_cap_reached";

/** The reasons that a payment removes. */
export type PaymentReason = Exclude<ShortageCode, "quota_exceeded"> | "payment_required";

/** Units that a customer's grants add to a meter: usage is compared with credits from `base` on. */
export interface MeterCredits {
  base: Amount;
  units: Amount;
}

/** The cost of usage in a period that a cap allows. */
export interface SpendBudget {
  readonly code: ShortageCode;
  /** The meters whose usage costs. */
  readonly meters: ReadonlySet<string>;
  /** Whether the meters may go from these totals to those: the cost stays within the cap, or does not rise. */
  allows(before: (meter: string) => Amount, after: (meter: string) => Amount): boolean;
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
