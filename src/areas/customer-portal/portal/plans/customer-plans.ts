import type { Act } from "../../../../core/access.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findCustomerIfAny, methodLabel, presentBuyer } from "../../../commerce/billing/customers/customers.ts";
import { taxTerms } from "../../../commerce/billing/invoices/taxes.ts";
import { providerFor } from "../../../commerce/billing/payments/providers.ts";
import { purchaseNeeds } from "../../../commerce/billing/purchases/purchases.ts";
import { profileOf, type TaxBehavior } from "../../../commerce/billing/settings/settings.ts";
import type { MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import type { Plan } from "../../../commerce/plans/plans.ts";
import type { PortalSettings } from "../settings/present.ts";
import {
  type CustomerAccount,
  isBought,
  offeredPlans,
  presentCurrent,
  presentOffer,
  subscriptionIn,
} from "./offers.ts";

/** The plans that a customer can choose, and the current one. */
export async function customerPlans(
  reads: Reads,
  { bucket, act, customerKey }: CustomerAccount,
  settings: Pick<PortalSettings, "plans" | "recommendedPlan">,
  withoutTrial: boolean,
) {
  const { all, current, pending } = await subscriptionIn(reads, { bucket, act, customerKey });
  const hasProfile = (await profileOf(reads, act.account.seq)) !== undefined;
  const isAvailable = (plan: Plan) =>
    hasProfile || !isBought(current, plan) || !purchaseNeeds([plan], all, withoutTrial).needsProfile;
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  const label = customer && methodLabel(customer);
  return {
    data: (await offeredPlans(reads, bucket, settings)).map((plan) =>
      presentOffer(plan, current, isAvailable(plan), settings),
    ),
    ...(current ? { subscription: presentCurrent(current, act.now) } : {}),
    ...(pending ? { purchase: presentCurrent(pending, act.now) } : {}),
    paysOnline: (await providerFor(reads, act, bucket)).paysOnline,
    ...(await shownTax(reads, act, bucket, customerKey)),
    ...(label === undefined ? {} : { paymentMethod: { label } }),
  };
}

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
