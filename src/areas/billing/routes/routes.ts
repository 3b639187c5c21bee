import type { StripeAccounts } from "../stripe/accounts.ts";
import type { StripePages } from "../stripe/hosted-pages.ts";
import type { StripeIntake } from "../stripe/intake.ts";
import { type CheckoutServices, checkoutRoutes } from "./checkouts.ts";
import { customerRoutes } from "./customers.ts";
import { grantRoutes } from "./grants.ts";
import { invoiceRoutes } from "./invoices.ts";
import { testMailRoutes } from "./mails.ts";
import { checkoutsPath, purchaseRoutes } from "./purchases.ts";
import { type SettingsOptions, settingsRoutes } from "./settings.ts";
import { area } from "./shared.ts";
import { stripeRoutes } from "./stripe.ts";
import { stripeEventRoutes } from "./stripe-events.ts";
import { billedSubscriptionRoutes } from "./subscriptions.ts";

export const billingAreas = {
  Billing: "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.",
};

export type BillingOptions = SettingsOptions &
  CheckoutServices & {
    intake: StripeIntake;
    pages: StripePages;
    accounts: StripeAccounts;
  };

export function billingRoutes({ storage, hosted, intake, pages, accounts, ...options }: BillingOptions) {
  return [
    ...settingsRoutes(options),
    ...stripeEventRoutes(intake),
    ...customerRoutes(),
    ...grantRoutes(),
    ...stripeRoutes(pages, accounts),
    ...invoiceRoutes(storage),
    ...testMailRoutes(),
    ...billedSubscriptionRoutes(storage),
    ...purchaseRoutes(options.publicUrl),
    ...checkoutRoutes({ storage, hosted }, { path: checkoutsPath, area, name: "" }),
  ];
}
