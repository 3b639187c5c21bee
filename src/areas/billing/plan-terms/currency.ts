import { invalid } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { Plan } from "../../metering/plans/plans.ts";
import { priceOf } from "../../metering/plans/prices.ts";
import { segmentBefore } from "./segment-store.ts";
import { segmentTermsOf } from "./segments.ts";
import { currencyOf } from "./terms.ts";

/**
 * Throws 400 if plans have another currency than the one in which the subscription was billed before. Also after its fees
 * have expired: overage is billed after its period, and usage may arrive later.
 */
export async function requireCurrency(reads: Reads, subscriptionSeq: number, plans: Plan[]): Promise<void> {
  const current = await billedCurrency(reads, subscriptionSeq);
  for (const [index, plan] of plans.entries()) {
    const currency = priceOf(plan)?.currency;
    if (current !== undefined && currency !== undefined && currency !== current)
      throw invalid(`/planExternalIds/${index}`, `must have a price in ${current}, the currency of the subscription`);
  }
}

/** The currency of the last fees and overage. Undefined if nothing had a price. */
async function billedCurrency(reads: Reads, subscriptionSeq: number): Promise<string | undefined> {
  let segment = await segmentBefore(reads, subscriptionSeq);
  while (segment) {
    const currency = segment.kind === "billed" ? currencyOf(segmentTermsOf(segment)) : undefined;
    if (currency !== undefined) return currency;
    segment = await segmentBefore(reads, subscriptionSeq, segment.seq);
  }
  return undefined;
}
