import type { Act } from "../../../core/access.ts";
import type { Minor } from "../../../lib/money.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { totalOf } from "../invoices/lines.ts";
import { type TaxedBuyer, taxLines, taxTerms } from "../invoices/taxes.ts";
import { profileOf } from "../settings/settings.ts";
import type { Pack } from "./packs.ts";

/** What a pack costs a customer now, with tax. Without a billing profile there are no taxes. */
export async function totalPriceOf(
  reads: Reads,
  { account }: Pick<Act, "account">,
  pack: Pick<Pack, "price">,
  buyer: TaxedBuyer,
): Promise<Minor> {
  const price = BigInt(pack.price);
  const profile = await profileOf(reads, account.seq);
  return profile ? price + totalOf(taxLines(taxTerms(profile, profile.taxBehavior, buyer), price, 0)) : price;
}
