import type { CallerFinder } from "../../api/credentials.ts";
import { type Endpoint, routeScope } from "../../api/endpoint.ts";
import { Pipeline } from "../../api/pipeline.ts";
import { noPlaces } from "../../api/project-access.ts";
import type { PaymentServices } from "../../areas/commerce/billing/payments/interface.ts";
import { checkoutRoutes } from "../../areas/commerce/billing/routes/checkouts.ts";
import type { AuthorizeRequests } from "../../areas/customer-portal/oauth/authorize-requests.ts";
import { consentRoutes } from "../../areas/customer-portal/oauth/routes/consent.ts";
import { customerOAuthRoutes } from "../../areas/customer-portal/oauth/routes/customer.ts";
import { type ProgramServices, programRoutes } from "../../areas/customer-portal/oauth/routes/programs.ts";
import type { PortalHosts } from "../../areas/customer-portal/portal/hosts/portal-hosts.ts";
import { portalCheckoutsPath } from "../../areas/customer-portal/portal/plans/checkout-url.ts";
import { customerAreas, portalCustomerRoutes } from "../../areas/customer-portal/portal/routes/customer.ts";
import type { PortalSessions } from "../../areas/customer-portal/portal/sessions/portal-sessions.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Foundation } from "../foundation/foundation.ts";

export interface PortalApi {
  endpoints: Endpoint[];
  /** Descriptions of the areas of the endpoints. */
  areas: Record<string, string>;
  pipeline: Pipeline;
}

type CustomerServices = Parameters<typeof portalCustomerRoutes>[0];

type PortalApiOptions = Omit<CustomerServices, "storage"> &
  Pick<ProgramServices, "signingKeys" | "resources"> & {
    keyring: Keyring;
    authorizeRequests: AuthorizeRequests;
    payments: PaymentServices;
  };

/**
 * The operations of portals. They have a pipeline of their own, so that a session of a portal is not valid for the
 * management API, and no credential of the management API is valid for portals.
 */
export function openPortalApi(
  { clock, log, metrics, storage, tracer }: Foundation,
  { keyring, authorizeRequests, payments, signingKeys, resources, ...services }: PortalApiOptions,
): PortalApi {
  const { hosts, sessions, consumers, keys } = services;
  const endpoints = [
    ...routeScope({ area: "Portal" }, portalCustomerRoutes({ ...services, storage })),
    ...routeScope({ area: "OAuth" }, [
      ...programRoutes({ hosts, storage, keyring, keys, signingKeys, resources }),
      ...consentRoutes({ hosts, sessions, consumers, keys, requests: authorizeRequests }),
      ...customerOAuthRoutes({ hosts, consumers, keys }),
    ]),
    ...routeScope(
      { area: "Portal" },
      checkoutRoutes({ storage, payments }, { path: portalCheckoutsPath, name: "Portal" }),
    ),
  ];
  const pipeline = new Pipeline({
    endpoints,
    systemPaths: [],
    credentials: credentialsOf(hosts, sessions),
    // Only members of an account have roles in projects.
    places: noPlaces,
    storage,
    keyring,
    clock,
    log,
    metrics,
    tracer,
  });
  return { endpoints, areas: customerAreas, pipeline };
}

/** Only the cookie of a portal session counts: tokens of the management API are not accepted. */
function credentialsOf(hosts: PortalHosts, sessions: PortalSessions): CallerFinder {
  return {
    callerOf: (request, now) => {
      if (request.headers.has("authorization")) throw new Problem("session_required");
      return sessions.authenticate(request, now);
    },
    // Codes and cookies have 128 random bits: guesses need not be counted.
    countFailure: (_, __, problem) => problem,
    checkOrigin: (request) => hosts.checkOrigin(request),
    findAccount: async () => undefined,
  };
}
