import { type Operation, routeScope } from "../../../../api/endpoint.ts";
import { type CheckoutServices, checkoutRoutes, paymentPortalRoutes } from "./checkouts.ts";
import { correctionRoutes } from "./corrections.ts";
import { customerRoutes, testMailRoutes } from "./customers.ts";
import { grantRoutes } from "./grants.ts";
import { invoiceRoutes } from "./invoices.ts";
import { checkoutsPath, packPurchaseRoutes, purchaseRoutes } from "./pack-purchases.ts";
import { packRoutes } from "./packs.ts";
import { type SettingsOptions, settingsRoutes } from "./settings.ts";
import { simulationRoutes } from "./simulations.ts";
import { billedSubscriptionRoutes } from "./subscriptions.ts";

export const billingAreas = {
  Billing: "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.",
};

type BillingOptions = SettingsOptions &
  CheckoutServices & {
    /** The endpoints of single payment providers. */
    providerEndpoints: Operation[];
  };

export function billingRoutes({ storage, payments, providerEndpoints, ...options }: BillingOptions) {
  return routeScope({ area: "Billing" }, [
    ...settingsRoutes({ ...options, payments }),
    ...providerEndpoints,
    ...customerRoutes(),
    ...grantRoutes(),
    ...correctionRoutes(),
    ...packRoutes(),
    ...packPurchaseRoutes(options.publicUrl),
    ...paymentPortalRoutes(payments),
    ...invoiceRoutes(storage),
    ...simulationRoutes(),
    ...testMailRoutes(),
    ...billedSubscriptionRoutes(storage),
    ...purchaseRoutes(options.publicUrl),
    ...checkoutRoutes({ storage, payments }, { path: checkoutsPath, name: "" }),
  ]);
}
