import type { Webhooks } from "../webhooks.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { sendingRoutes } from "./sending.ts";
import { webhookManagementRoutes } from "./webhooks.ts";

export const webhookAreas = {
  Webhooks: "URLs that receive events, signed by Standard Webhooks 1.0, and the results of their deliveries.",
};

export function webhookRoutes(webhooks: Webhooks) {
  return [...webhookManagementRoutes(webhooks), ...sendingRoutes(webhooks), ...deliveryRoutes(webhooks)];
}
