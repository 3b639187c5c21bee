import type { Webhooks } from "../webhooks.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { sendingRoutes } from "./sending.ts";
import { managementRoutes } from "./webhooks.ts";

export const webhookAreas = {
  Webhooks: "Addresses that are sent events as they happen, signed by Standard Webhooks 1.0, and what became of each.",
};

export function webhookRoutes(webhooks: Webhooks) {
  return [...managementRoutes(webhooks), ...sendingRoutes(webhooks), ...deliveryRoutes(webhooks)];
}
