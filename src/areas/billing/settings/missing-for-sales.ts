import type { Reads } from "../../../platform/storage/storage.ts";
import type { ProviderMode } from "../payments/interface/provider.ts";
import { findProvider } from "../payments/provider-settings.ts";
import { providerOfType } from "../payments/providers.ts";
import { profileOf } from "./settings.ts";

/** Settings that are about to be set together with what is sold. */
export interface PlannedSales {
  hasProfile: boolean;
  hasProvider(mode: ProviderMode): boolean;
}

/** Warnings about the settings that the account needs before the plans of a bucket are sold and paid. */
export async function missingForSales(
  reads: Reads,
  accountSeq: number,
  mode: ProviderMode,
  planned: PlannedSales = { hasProfile: false, hasProvider: () => false },
): Promise<string[]> {
  const provider = await findProvider(reads, accountSeq, mode);
  return [
    ...(planned.hasProfile || (await profileOf(reads, accountSeq))
      ? []
      : ["Plans with a price cannot be bought yet: the account has no billing profile."]),
    // An account that chose `manual` knows that it has to mark invoices as paid.
    ...(provider.version === 0 && !planned.hasProvider(mode) && !providerOfType(provider.type).paysOnline
      ? ["The account has no payment provider: a bought plan is active once you mark its invoice as paid."]
      : []),
  ];
}
