import type { CallerFinder } from "../../api/credentials.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { Pipeline } from "../../api/pipeline.ts";
import { noPlaces } from "../../api/project-access.ts";
import type { PaymentServices } from "../../areas/billing/payments/interface/service.ts";
import { checkoutRoutes } from "../../areas/billing/routes/checkouts.ts";
import type { Consumers } from "../../areas/consumers/consumers.ts";
import type { TryRequestSender } from "../../areas/deployments/try-requests/try-request.ts";
import { Sites } from "../../areas/deployments/versions/sites.ts";
import type { Keys } from "../../areas/keys/keys.ts";
import type { MailQueue } from "../../areas/mail/mail-queue.ts";
import { AuthorizeRequests } from "../../areas/oauth/authorize-requests.ts";
import { ClientDocuments } from "../../areas/oauth/client-documents.ts";
import type { ResourceFinder } from "../../areas/oauth/resources.ts";
import { consentRoutes } from "../../areas/oauth/routes/consent.ts";
import { customerOAuthRoutes } from "../../areas/oauth/routes/customer.ts";
import { programRoutes } from "../../areas/oauth/routes/programs.ts";
import { SigningKeys } from "../../areas/oauth/signing-keys.ts";
import { PortalApis } from "../../areas/portal/docs/portal-apis.ts";
import { PortalDocs } from "../../areas/portal/docs/portal-docs.ts";
import { portalCheckoutsPath } from "../../areas/portal/plans/checkout-url.ts";
import { PortalProviders } from "../../areas/portal/provider-sign-in/portal-providers.ts";
import { ProviderSignIns } from "../../areas/portal/provider-sign-in/provider-sign-ins.ts";
import { portalCustomerRoutes } from "../../areas/portal/routes/customer.ts";
import type { PortalDirectory } from "../../areas/portal/sessions/directory.ts";
import { PortalSessions } from "../../areas/portal/sessions/portal-sessions.ts";
import { openPortalMail } from "../../areas/portal/sign-in/mail.ts";
import { PortalSignIns } from "../../areas/portal/sign-in/portal-sign-ins.ts";
import { CustomerPages } from "../../areas/portal/site/customer-pages.ts";
import type { PageStateServices } from "../../areas/portal/site/page-state.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";

export interface PortalServices {
  sessions: PortalSessions;
  providerSignIns: ProviderSignIns;
  docs: PortalDocs;
  /** What the pages begin with. */
  pages: PageStateServices;
  /** The requests of programs for authorization. */
  authorizeRequests: AuthorizeRequests;
  /** The keys of access tokens. */
  signingKeys: SigningKeys;
  endpoints: Endpoint[];
  pipeline: Pipeline;
}

export interface PortalOptions {
  directory: PortalDirectory;
  keys: Keys;
  consumers: Consumers;
  keyring: Keyring;
  address: OwnAddress;
  tryRequests: TryRequestSender;
  egress: Egress;
  mail: MailQueue;
  payments: PaymentServices;
  /** The hosts of deployments. */
  resources: Pick<ResourceFinder, "addresses" | "domains">;
}

/**
 * The operations of portals. They have a pipeline of their own, so that a session of a portal is not valid for the
 * management API, and no credential of the management API is valid for portals.
 */
export function openPortal(
  { clock, log, metrics, storage, tracer }: Foundation,
  { directory, keys, consumers, keyring, address, mail, tryRequests, egress, payments, ...options }: PortalOptions,
): PortalServices {
  const originOf = (place: { name: string; host: string | null }) => address.portalUrlOf(place);
  const sessions = new PortalSessions({ storage, directory, originOf });
  const sites = new Sites();
  const urlOf = (name: string) => address.urlOf(name);
  const docs = new PortalDocs(sites, urlOf);
  const portalApis = new PortalApis(sites);
  const signIns = new PortalSignIns(sessions, consumers);
  const mailSignIns = openPortalMail(mail, { clock, originOf });
  const customerPages = new CustomerPages({ docs, mailSignIns });
  const pages: PageStateServices = { sessions, customerPages, mailSignIns, portalApis, docs, urlOf };
  const providerSignIns = new ProviderSignIns({ providers: new PortalProviders(keyring, egress), keyring, log });
  const resources = { ...options.resources, urlOf };
  const documents = new ClientDocuments(egress, (url, error) =>
    log.info("the metadata document of an OAuth client was rejected", { url, error }),
  );
  const authorizeRequests = new AuthorizeRequests(documents, resources);
  const signingKeys = new SigningKeys(storage, keyring);
  const signInServices = { signIns, mailSignIns, providerSignIns, mail };
  const endpoints = [
    ...portalCustomerRoutes({
      ...{ keys, consumers, tryRequests, storage },
      ...pages,
      ...signInServices,
    }),
    ...programRoutes({ sessions, storage, keyring, keys, signingKeys, resources }, "OAuth"),
    ...consentRoutes({ sessions, consumers, keys, requests: authorizeRequests }, "OAuth"),
    ...customerOAuthRoutes({ sessions, consumers, keys }, "OAuth"),
    ...checkoutRoutes({ storage, payments }, { path: portalCheckoutsPath, area: "Portal", name: "Portal" }),
  ];
  const pipeline = new Pipeline({
    endpoints,
    systemPaths: [],
    credentials: credentialsOf(sessions),
    // Only members of an account have roles in projects.
    places: noPlaces,
    storage,
    keyring,
    clock,
    log,
    metrics,
    tracer,
  });
  return { sessions, providerSignIns, docs, pages, authorizeRequests, signingKeys, endpoints, pipeline };
}

/** Only the cookie of a portal session counts: tokens of the management API are not accepted. */
function credentialsOf(sessions: PortalSessions): CallerFinder {
  return {
    callerOf: (request, now) => {
      if (request.headers.has("authorization")) throw new Problem("session_required");
      return sessions.authenticate(request, now);
    },
    // Codes and cookies have 128 random bits: guesses need not be counted.
    countFailure: (_, __, problem) => problem,
    checkOrigin: (request) => sessions.checkOrigin(request),
    findAccount: async () => undefined,
  };
}
