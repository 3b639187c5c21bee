import { type InsightServices, insightRoutes } from "./insight.ts";
import { type CustomerKeyServices, keyRoutes } from "./keys.ts";
import { sessionRoutes } from "./session.ts";

const area = "Portal";

/** The operations of a portal's own pages, at the portal's host. None takes the name of a consumer from the caller. */
export function customerRoutes(services: CustomerKeyServices & InsightServices) {
  return [...sessionRoutes(services.sessions, area), ...keyRoutes(services, area), ...insightRoutes(services, area)];
}

export const customerAreas = { [area]: "What a customer sees and does in the portal." };
