import type { Storage } from "../../../platform/storage/storage.ts";
import { customerRoutes } from "./customers.ts";
import { invoiceRoutes } from "./invoices.ts";
import { settingsRoutes } from "./settings.ts";
import { billedSubscriptionRoutes } from "./subscriptions.ts";

export const billingAreas = {
  Billing: "Customers, invoices and payments: what subscriptions cost, derived from plans, changes and usage.",
};

export function billingRoutes(storage: Storage) {
  return [...settingsRoutes(), ...customerRoutes(), ...invoiceRoutes(), ...billedSubscriptionRoutes(storage)];
}
