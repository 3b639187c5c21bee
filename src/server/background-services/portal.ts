import type { Consumers } from "../../areas/api-keys/consumers/consumers.ts";
import type { Keys } from "../../areas/api-keys/keys/keys.ts";
import type { PaymentServices } from "../../areas/commerce/billing/payments/interface.ts";
import type { MailQueue } from "../../areas/common/mail/mail-queue.ts";
import { AuthorizeRequests } from "../../areas/customer-portal/oauth/authorize-requests.ts";
import { ClientDocuments } from "../../areas/customer-portal/oauth/client-documents.ts";
import type { ResourceFinder } from "../../areas/customer-portal/oauth/resources.ts";
import { SigningKeys } from "../../areas/customer-portal/oauth/signing-keys.ts";
import { PortalApis } from "../../areas/customer-portal/portal/docs/portal-apis.ts";
import { PortalDocs } from "../../areas/customer-portal/portal/docs/portal-docs.ts";
import type { PortalDirectory } from "../../areas/customer-portal/portal/hosts/directory.ts";
import { PortalHosts } from "../../areas/customer-portal/portal/hosts/portal-hosts.ts";
import { ProviderSignIns } from "../../areas/customer-portal/portal/provider-sign-in/provider-sign-ins.ts";
import { PortalSessions } from "../../areas/customer-portal/portal/sessions/portal-sessions.ts";
import { openPortalMail } from "../../areas/customer-portal/portal/sign-in/mail.ts";
import { PortalSignIns } from "../../areas/customer-portal/portal/sign-in/portal-sign-ins.ts";
import { CustomerPages, type PageStateServices } from "../../areas/customer-portal/portal/site/customer-pages.ts";
import type { TryRequestSender } from "../../areas/gateways/deployments/try-requests/try-request.ts";
import { Sites } from "../../areas/gateways/deployments/versions/sites.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";
import type { PortalApi } from "./portal-api.ts";

export interface PortalServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  providerSignIns: ProviderSignIns;
  docs: PortalDocs;
  /** What the pages begin with. */
  pages: PageStateServices;
  /** The requests of programs for authorization. */
  authorizeRequests: AuthorizeRequests;
  /** The keys of access tokens. */
  signingKeys: SigningKeys;
  /** The operations of the pages and of programs. Loaded with the first request: many servers have no portal. */
  api(): Promise<PortalApi>;
}

interface PortalOptions {
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

/** What portals share with the rest of the server, and their operations. */
export function openPortal(
  foundation: Foundation,
  { directory, keys, consumers, keyring, address, mail, tryRequests, egress, payments, ...options }: PortalOptions,
): PortalServices {
  const { clock, log, storage } = foundation;
  const originOf = (place: { name: string; host: string | null }) => address.portalUrlOf(place);
  const hosts = new PortalHosts({ storage, directory, originOf });
  const sessions = new PortalSessions({ storage, hosts });
  const sites = new Sites();
  const urlOf = (name: string) => address.urlOf(name);
  const docs = new PortalDocs(sites, urlOf);
  const portalApis = new PortalApis(sites);
  const signIns = new PortalSignIns(sessions, consumers);
  const mailSignIns = openPortalMail(mail, { clock, originOf });
  const customerPages = new CustomerPages({ docs, mailSignIns, portalApis });
  const pages: PageStateServices = { sessions, customerPages, mailSignIns, portalApis, docs, urlOf };
  const providerSignIns = new ProviderSignIns({ keyring, egress, log });
  const resources = { ...options.resources, urlOf };
  const documents = new ClientDocuments(egress, (url, error) =>
    log.info("the metadata document of an OAuth client was rejected", { url, error }),
  );
  const authorizeRequests = new AuthorizeRequests(documents, resources);
  const signingKeys = new SigningKeys(storage, keyring);
  let api: Promise<PortalApi> | undefined;
  return {
    hosts,
    sessions,
    providerSignIns,
    docs,
    pages,
    authorizeRequests,
    signingKeys,
    api() {
      api ??= import("./portal-api.ts").then(({ openPortalApi }) =>
        openPortalApi(foundation, {
          ...{ keys, consumers, keyring, tryRequests, payments, mail },
          ...{ ...pages, hosts, signIns, mailSignIns, providerSignIns, authorizeRequests, signingKeys, resources },
        }),
      );
      return api;
    },
  };
}
