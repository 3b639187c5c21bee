import type { Act } from "../../../../core/access.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findCustomerIfAny, presentBuyer } from "../../../commerce/billing/customers/customers.ts";
import { taxTerms } from "../../../commerce/billing/invoices/taxes.ts";
import { profileOf, type TaxBehavior } from "../../../commerce/billing/settings/settings.ts";
import type { MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";

/** What a price says about tax: that it is included, or that it is added for this customer. */
export async function shownTax(
  reads: Reads,
  { account }: Pick<Act, "account">,
  bucket: MeteringBucket,
  customerKey: string,
): Promise<{ taxBehavior?: TaxBehavior }> {
  const profile = await profileOf(reads, account.seq);
  if (!profile) return {};
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  const { rates } = taxTerms(profile, profile.taxBehavior, customer ? presentBuyer(customer) : {});
  return rates.length === 0 ? {} : { taxBehavior: profile.taxBehavior };
}
