import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { findProvider } from "../payments/provider-settings.ts";
import { modeOf, providerOfType } from "../payments/providers.ts";
import { profileOf } from "./settings.ts";

/** Warnings about the settings that the account needs before the plans of a bucket are sold and paid. */
export async function missingForSales(
  reads: Reads,
  accountSeq: number,
  bucket: Pick<MeteringBucket, "test_clock">,
): Promise<string[]> {
  const provider = await findProvider(reads, accountSeq, modeOf(bucket));
  return [
    ...((await profileOf(reads, accountSeq))
      ? []
      : ["Plans with a price cannot be bought yet: the account has no billing profile."]),
    // An account that chose `manual` knows that it has to mark invoices as paid.
    ...(provider.version === 0 && !providerOfType(provider.type).paysOnline
      ? ["The account has no payment provider: a bought plan is active once you mark its invoice as paid."]
      : []),
  ];
}
