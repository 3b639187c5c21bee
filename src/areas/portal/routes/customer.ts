import type { Consumers } from "../../consumers/consumers.ts";
import { accountRoutes } from "./account.ts";
import { portalBillingRoutes } from "./billing.ts";
import { type DocsServices, docsRoutes } from "./docs.ts";
import { type InsightServices, insightRoutes } from "./insight.ts";
import { type CustomerKeyServices, keyRoutes } from "./keys.ts";
import { type CustomerPeopleServices, peopleRoutes } from "./people.ts";
import { type PlanServices, planRoutes } from "./plans.ts";
import { type PortalProviderServices, providerRoutes } from "./provider.ts";
import { sessionRoutes } from "./session.ts";
import { signInRoutes } from "./sign-in.ts";
import { spendingRoutes } from "./spending.ts";
import { type PortalTryRequestServices, portalTryRequestRoutes } from "./try-requests.ts";

const area = "Portal";

/** The operations of a portal's own pages, at the portal's host. None takes the name of a consumer from the caller. */
export function customerRoutes(
  services: CustomerKeyServices &
    InsightServices &
    DocsServices &
    PortalTryRequestServices &
    PlanServices &
    PortalProviderServices &
    CustomerPeopleServices & { consumers: Consumers },
) {
  return [
    ...sessionRoutes(services, area),
    ...signInRoutes(services, area),
    ...providerRoutes(services, area),
    ...keyRoutes(services, area),
    ...peopleRoutes(services, area),
    ...insightRoutes(services, area),
    ...docsRoutes(services, area),
    ...portalTryRequestRoutes(services, area),
    ...planRoutes(services, area),
    ...portalBillingRoutes(services, area),
    ...spendingRoutes(services, area),
    ...accountRoutes(services, area),
  ];
}

export const customerAreas = { [area]: "What a customer sees and does in the portal." };
