import { type CheckoutServices, checkoutRoutes } from "./checkouts.ts";
import { customerRoutes } from "./customers.ts";
import { grantRoutes } from "./grants.ts";
import { invoiceRoutes } from "./invoices.ts";
import { checkoutsPath, purchaseRoutes } from "./purchases.ts";
import { type SettingsOptions, settingsRoutes } from "./settings.ts";
import { area } from "./shared.ts";
import { billedSubscriptionRoutes } from "./subscriptions.ts";

export const billingAreas = {
  Billing: "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.",
};

export type BillingOptions = SettingsOptions & CheckoutServices;

export function billingRoutes({ storage, hosted, ...options }: BillingOptions) {
  return [
    ...settingsRoutes(options),
    ...customerRoutes(),
    ...grantRoutes(),
    ...invoiceRoutes(),
    ...billedSubscriptionRoutes(storage),
    ...purchaseRoutes(options.publicUrl),
    ...checkoutRoutes({ storage, hosted }, { path: checkoutsPath, area, name: "" }),
  ];
}
