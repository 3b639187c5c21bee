import { Problem } from "../../../../core/problems/problem.ts";
import { isOfOtherBucket } from "../../../../counting/quotas/customer-place.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { modeOf } from "../../../commerce/billing/payments/providers.ts";
import { missingForSales, type PlannedSales } from "../../../commerce/billing/settings/settings.ts";
import { findMeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { hasCosts, priceOf, ratesOf } from "../../../commerce/plans/prices.ts";
import type { PortalSettings } from "../settings/present.ts";
import { offeredPlans } from "./offers.ts";

/** Warnings about settings without which customers of the portal cannot buy its plans. */
export async function saleWarnings(
  reads: Reads,
  accountSeq: number,
  bucketName: string,
  settings: Pick<PortalSettings, "meteringBucket" | "plans">,
  planned?: PlannedSales,
): Promise<string[]> {
  if (settings.meteringBucket === undefined) return [];
  try {
    const bucket = await findMeteringBucket(reads, accountSeq, settings.meteringBucket);
    if (isOfOtherBucket(bucket.key_bucket, bucketName))
      return [
        `Customers see no plans, usage and invoices: the customers of the metering bucket are the consumers of key bucket ${bucket.key_bucket}.`,
      ];
    const plans = await offeredPlans(reads, bucket, settings);
    if (!plans.some((plan) => hasCosts({ price: priceOf(plan), rates: ratesOf(plan) }))) return [];
    return await missingForSales(reads, accountSeq, modeOf(bucket), planned);
  } catch (error) {
    // The bucket was deleted since it was set, or the plan of a configuration creates it.
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
}
