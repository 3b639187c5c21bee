import type { SpendBudget } from "../../../counting/quotas/quota-definition.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { spendPeriodsOf } from "../credit-grants/spend-store.ts";
import type { CreditUses } from "../credit-grants/use-store.ts";
import type { Wallet } from "../credit-grants/wallet.ts";
import { blockingCap, type Caps } from "../customers/caps.ts";
import { costBefore } from "../overage/current-overage.ts";
import type { SegmentOverage } from "../overage/overage-lines.ts";
import { exactPricing, productScale } from "../overage/overage-price.ts";
import { allowedCost } from "./spending.ts";

/** What a cap that blocks allows in the current segment of a period. Undefined without one. */
export async function budgetOf(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  overage: SegmentOverage[],
  uses: CreditUses,
  wallet: Wallet,
  caps: Caps,
): Promise<SpendBudget | undefined> {
  const [first] = overage;
  const cap = first && blockingCap(caps, first.currency);
  if (!cap) return undefined;
  const spend = (await spendPeriodsOf(reads, subscriptionSeq)).get(periodStart);
  const earlier = await costBefore(reads, subscriptionSeq, first.segment, uses);
  const allowed = allowedCost(spend, caps, first.currency)! + (spend?.writtenOff ?? 0n) - earlier;
  const budget = (allowed * productScale) / 10n ** BigInt(minorDigits(first.currency)!);
  const priced = overage.map(({ segment, meter, start, rate }) => {
    const { seen, covered } = uses.of(periodStart, segment.seq, meter);
    // Units up to `free` are within the allowance, compared already, or covered by credits.
    const free = start + seen + wallet.unitsOf(meter);
    return { meter, priceOf: exactPricing(rate), billed: seen - covered, free };
  });
  const costAt = (totalOf: (meter: string) => bigint) =>
    priced.reduce((sum, { meter, priceOf, billed, free }) => {
      const total = totalOf(meter);
      return sum + priceOf(total > free ? billed + total - free : billed);
    }, 0n);
  return {
    code: cap.code,
    meters: new Set(priced.map(({ meter }) => meter)),
    allows(before, after) {
      const cost = costAt(after);
      // Usage that costs nothing stays possible when the cap is reached, and so does usage that reaches a cheaper tier.
      return cost <= budget || cost <= costAt(before);
    },
  };
}
