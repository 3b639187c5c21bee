import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import { portalAccountRoutes } from "./account.ts";
import { portalBillingRoutes } from "./billing.ts";
import { portalCreditRoutes } from "./credit.ts";
import { type DocsServices, portalDocsRoutes } from "./docs.ts";
import { type InsightServices, insightRoutes } from "./insight.ts";
import { type CustomerKeyServices, portalKeyRoutes } from "./keys.ts";
import { type CustomerPeopleServices, portalPeopleRoutes } from "./people.ts";
import { type PlanServices, portalPlanRoutes } from "./plans.ts";
import { type PortalProviderServices, portalProviderRoutes } from "./provider.ts";
import { portalSessionRoutes, type SessionServices } from "./session.ts";
import { portalSignInRoutes } from "./sign-in.ts";
import { spendingRoutes } from "./spending.ts";
import { type PortalTryRequestServices, portalTryRequestRoutes } from "./try-requests.ts";

/** The operations of a portal's own pages, at the portal's host. None takes the name of a consumer from the caller. */
export function portalCustomerRoutes(
  services: SessionServices &
    CustomerKeyServices &
    InsightServices &
    DocsServices &
    PortalTryRequestServices &
    PlanServices &
    PortalProviderServices &
    CustomerPeopleServices & { consumers: Consumers },
) {
  return [
    ...portalSessionRoutes(services),
    ...portalSignInRoutes(services),
    ...portalProviderRoutes(services),
    ...portalKeyRoutes(services),
    ...portalPeopleRoutes(services),
    ...insightRoutes(services),
    ...portalDocsRoutes(services),
    ...portalTryRequestRoutes(services),
    ...portalPlanRoutes(services),
    ...portalBillingRoutes(services),
    ...spendingRoutes(services),
    ...portalCreditRoutes(services),
    ...portalAccountRoutes(services),
  ];
}

export const customerAreas = {
  Portal: "What a customer sees and does in the portal.",
  OAuth: "The portal as an authorization server.",
};
