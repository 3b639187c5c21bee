import { invalid } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { Plan } from "../../plans/plans.ts";
import { priceOf } from "../../plans/prices.ts";
import { segmentBefore } from "./segment-store.ts";
import { segmentTermsOf } from "./segments.ts";
import { currencyOf } from "./terms.ts";

/**
 * Throws 400 if a plan has a price in another currency than the subscription was billed in before. That currency applies
 * also if its current plans have no price: overage of earlier periods may still be billed, and late usage may arrive.
 */
export async function requireCurrency(reads: Reads, subscriptionSeq: number, plans: Plan[]): Promise<void> {
  const current = await billedCurrency(reads, subscriptionSeq);
  for (const [index, plan] of plans.entries()) {
    const currency = priceOf(plan)?.currency;
    if (current !== undefined && currency !== undefined && currency !== current)
      throw invalid(`/planExternalIds/${index}`, `must have a price in ${current}, the currency of the subscription`);
  }
}

/** The currency of the newest billed segment with a price. Undefined if there is none. */
async function billedCurrency(reads: Reads, subscriptionSeq: number): Promise<string | undefined> {
  let segment = await segmentBefore(reads, subscriptionSeq);
  while (segment) {
    const currency = segment.kind === "billed" ? currencyOf(segmentTermsOf(segment)) : undefined;
    if (currency !== undefined) return currency;
    segment = await segmentBefore(reads, subscriptionSeq, segment.seq);
  }
  return undefined;
}
