import type { Reads } from "../../../../platform/storage/storage.ts";
import { findCustomerIfAny, methodLabel } from "../../../commerce/billing/customers/customers.ts";
import { providerFor } from "../../../commerce/billing/payments/providers.ts";
import { purchaseNeeds } from "../../../commerce/billing/purchases/purchases.ts";
import { profileOf } from "../../../commerce/billing/settings/settings.ts";
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
import { shownTax } from "./shown-tax.ts";

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
