import type { Storage } from "../../../platform/storage/storage.ts";
import { customerRoutes } from "./customers.ts";
import { invoiceRoutes } from "./invoices.ts";
import { type SettingsOptions, settingsRoutes } from "./settings.ts";
import { billedSubscriptionRoutes } from "./subscriptions.ts";

export const billingAreas = {
  Billing: "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.",
};

export interface BillingOptions extends SettingsOptions {
  storage: Storage;
}

export function billingRoutes({ storage, ...options }: BillingOptions) {
  return [...settingsRoutes(options), ...customerRoutes(), ...invoiceRoutes(), ...billedSubscriptionRoutes(storage)];
}
