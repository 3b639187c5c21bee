import type { Endpoint } from "../api/endpoint.ts";
import type { Authentication } from "../areas/access/accounts/authentication.ts";
import { accountAreas, accountRoutes } from "../areas/access/accounts/routes.ts";
import { consoleSessionRoutes, sessionAreas } from "../areas/access/console-sessions/routes.ts";
import type { Sessions } from "../areas/access/console-sessions/sessions.ts";
import { consoleSignInRoutes, signInAreas } from "../areas/access/console-sign-in/routes.ts";
import type { MailSignIns } from "../areas/access/mail-sign-in/mail-sign-ins.ts";
import { memberAreas, memberRoutes } from "../areas/access/members/routes.ts";
import { exchangeRoutes } from "../areas/access/trusted-issuers/exchange-routes.ts";
import { trustedIssuerAreas, trustedIssuerRoutes } from "../areas/access/trusted-issuers/routes.ts";
import type { TokenExchange } from "../areas/access/trusted-issuers/token-exchange.ts";
import type { TrustedIssuers } from "../areas/access/trusted-issuers/trusted-issuers.ts";
import { managerAreas, managerRoutes } from "../areas/api-keys/consumer-managers/routes.ts";
import { bulkConsumerRoutes } from "../areas/api-keys/consumers/bulk-routes.ts";
import type { Consumers } from "../areas/api-keys/consumers/consumers.ts";
import { consumerAreas, consumerRoutes } from "../areas/api-keys/consumers/routes.ts";
import type { KeyBucketDirectory } from "../areas/api-keys/key-buckets/directory.ts";
import { deleteKeyBucketsOf } from "../areas/api-keys/key-buckets/key-buckets.ts";
import { keyBucketAreas, keyBucketRoutes } from "../areas/api-keys/key-buckets/routes.ts";
import type { Keys } from "../areas/api-keys/keys/keys.ts";
import type { QuotaTakes } from "../areas/api-keys/keys/quota-takes.ts";
import type { KeyReveals } from "../areas/api-keys/keys/reveals.ts";
import { keyAreas, keyRoutes } from "../areas/api-keys/keys/routes/routes.ts";
import type { KeyVerifier } from "../areas/api-keys/keys/verification/verifier.ts";
import { billingHooks } from "../areas/commerce/billing/periods/subscription-hooks.ts";
import { billingAreas, billingRoutes } from "../areas/commerce/billing/routes/routes.ts";
import { spendingLimits } from "../areas/commerce/billing/spending/spending-limits.ts";
import type { Quotas } from "../areas/commerce/metering/quotas/quotas.ts";
import { meteringAreas, meteringRoutes } from "../areas/commerce/metering/routes/routes.ts";
import type { UsageEvents } from "../areas/commerce/metering/usage/events.ts";
import { usedIn } from "../areas/commerce/metering/usage/usage.ts";
import { deleteMeteringOf } from "../areas/commerce/metering-buckets/metering-buckets.ts";
import { meteringBucketRoutes } from "../areas/commerce/metering-buckets/routes.ts";
import { planRoutes } from "../areas/commerce/plans/routes.ts";
import { subscriptionRoutes } from "../areas/commerce/subscriptions/routes.ts";
import { jobAreas, jobRoutes } from "../areas/common/background-jobs/routes.ts";
import type { MailQueue } from "../areas/common/mail/mail-queue.ts";
import { mailRoutes } from "../areas/common/mail/routes.ts";
import { overviewAreas, overviewRoutes } from "../areas/console/overview/routes.ts";
import { viewAreas, viewRoutes } from "../areas/console/saved-views/routes.ts";
import { searchAreas, searchRoutes } from "../areas/console/search/routes.ts";
import { oauthAreas, oauthRoutes } from "../areas/customer-portal/oauth/routes/manage.ts";
import type { SigningKeys as OAuthSigningKeys } from "../areas/customer-portal/oauth/signing-keys.ts";
import { portalAreas, portalRoutes } from "../areas/customer-portal/portal/routes/manage.ts";
import type { PreviewServices } from "../areas/customer-portal/portal/site/preview.ts";
import type { BuildQueue } from "../areas/gateways/deployments/builds/build-queue.ts";
import type { Uploads } from "../areas/gateways/deployments/builds/uploads.ts";
import type { SealedTestValues } from "../areas/gateways/deployments/canary-releases/test-value.ts";
import { deleteDeploymentsOf } from "../areas/gateways/deployments/deployments.ts";
import { deploymentAreas, deploymentRoutes } from "../areas/gateways/deployments/routes/routes.ts";
import type { TryRequestSender } from "../areas/gateways/deployments/try-requests/try-request.ts";
import type { Starter } from "../areas/gateways/deployments/versions/starter.ts";
import type { UpstreamStatuses } from "../areas/gateways/deployments/versions/upstream-status.ts";
import { type Domains, deleteDomainsOf } from "../areas/gateways/domains/domains.ts";
import { domainAreas, domainRoutes } from "../areas/gateways/domains/routes.ts";
import { variableAreas, variableRoutes } from "../areas/gateways/variables/routes.ts";
import type { Variables } from "../areas/gateways/variables/variables.ts";
import { analyticsAreas, analyticsRoutes } from "../areas/insight/analytics/routes.ts";
import type { VerificationCounter } from "../areas/insight/analytics/verification-counter.ts";
import type { EventStreamClients } from "../areas/insight/request-log/event-stream-clients.ts";
import type { RequestTail } from "../areas/insight/request-log/request-tail.ts";
import { requestLogAreas, requestLogRoutes } from "../areas/insight/request-log/routes.ts";
import type { AuditLog } from "../areas/operations/audit-log/audit-log.ts";
import { auditAreas, auditRoutes } from "../areas/operations/audit-log/routes.ts";
import type { SigningKeys } from "../areas/operations/audit-log/signing-keys.ts";
import { Configurations } from "../areas/operations/configuration/apply/configurations.ts";
import { allKinds } from "../areas/operations/configuration/kinds/all-kinds.ts";
import { configurationAreas, configurationRoutes } from "../areas/operations/configuration/routes/routes.ts";
import type { Exports } from "../areas/operations/exports/exports.ts";
import { exportAreas, exportRoutes } from "../areas/operations/exports/routes.ts";
import { type SystemInfo, systemAreas, systemStatusRoutes } from "../areas/operations/system-status/routes.ts";
import { webhookAreas, webhookRoutes } from "../areas/operations/webhooks/routes/routes.ts";
import { deleteWebhooksOf, type Webhooks } from "../areas/operations/webhooks/webhooks.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { History } from "../platform/storage/history.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { Certificates } from "../platform/tls/certificates.ts";
import type { Payments } from "./background-services/payments.ts";
import type { OwnAddress } from "./foundation/own-address.ts";

interface RouteDependencies {
  /** The keys of access tokens. */
  signingKeys: OAuthSigningKeys;
  portalPages: PreviewServices;
  authentication: Authentication;
  exports: Exports;
  trustedIssuers: TrustedIssuers;
  tokenExchange: TokenExchange;
  sessions: Sessions;
  mail: MailQueue;
  signIns: MailSignIns;
  /** The host of the identity provider. */
  providerHost: string | undefined;
  /** Whether members may sign in to the console by mail, if mail is sent. */
  hasMailSignIn: boolean;
  buckets: KeyBucketDirectory;
  keys: Keys;
  verifier: KeyVerifier;
  verifications: VerificationCounter | undefined;
  consumers: Consumers;
  usageEvents: UsageEvents;
  quotas: Quotas;
  takes: QuotaTakes;
  uploads: Uploads;
  builds: BuildQueue;
  storage: Storage;
  history: History;
  starter: Starter;
  tryRequests: TryRequestSender;
  upstreams: UpstreamStatuses;
  testValues: SealedTestValues;
  variables: Variables;
  followers: EventStreamClients;
  tail: RequestTail;
  auditLog: AuditLog;
  auditKeys: SigningKeys;
  reveals: KeyReveals;
  webhooks: Webhooks;
  domains: Domains;
  certificates: Certificates | undefined;
  clock: Clock;
  keyring: Keyring;
  address: OwnAddress;
  payments: Payments;
  system: SystemInfo;
}

/** Every endpoint of the management API. Cleanups for deleted accounts are registered here too. */
export function routes(dependencies: RouteDependencies): Endpoint[] {
  const { authentication, buckets, keys, consumers, address } = dependencies;
  const single: Endpoint[] = [
    ...accountRoutes(authentication, [
      deleteKeyBucketsOf,
      deleteMeteringOf,
      deleteDomainsOf,
      deleteDeploymentsOf,
      deleteWebhooksOf,
    ]),
    ...exportRoutes(dependencies.exports, () => dependencies.clock.now()),
    ...trustedIssuerRoutes(dependencies.trustedIssuers),
    ...exchangeRoutes(dependencies.tokenExchange),
    ...memberRoutes({
      linkOf: (secret) => `${address.publicUrl}/console/join#${secret}`,
      mail: dependencies.mail.isEnabled ? dependencies.mail : undefined,
      endSessions: (transaction, act, personSeq) => dependencies.sessions.endOfMember(transaction, act, personSeq),
    }),
    ...mailRoutes(),
    ...consoleSessionRoutes(dependencies.sessions),
    ...consoleSignInRoutes({
      sessions: dependencies.sessions,
      signIns: dependencies.signIns,
      hasMail: dependencies.mail.isEnabled && dependencies.hasMailSignIn,
      provider: dependencies.providerHost,
    }),
    ...keyBucketRoutes(),
    ...consumerRoutes(consumers, keys, buckets, dependencies.reveals),
    ...bulkConsumerRoutes(buckets),
    ...keyRoutes(dependencies),
    ...jobRoutes(),
    ...managerRoutes(consumers),
    ...meteringBucketRoutes(),
    ...planRoutes(),
    ...subscriptionRoutes(billingHooks, usedIn),
    ...meteringRoutes({
      storage: dependencies.storage,
      events: dependencies.usageEvents,
      quotas: dependencies.quotas,
      credits: spendingLimits,
    }),
    ...billingRoutes({
      storage: dependencies.storage,
      keyring: dependencies.keyring,
      publicUrl: () => dependencies.address.publicUrl,
      payments: dependencies.payments.services,
      providerEndpoints: dependencies.payments.endpoints,
    }),
    ...deploymentRoutes({
      uploads: dependencies.uploads,
      builds: dependencies.builds,
      starter: dependencies.starter,
      upstreams: dependencies.upstreams,
      testValues: dependencies.testValues,
      clock: dependencies.clock,
      tryRequests: dependencies.tryRequests,
      storage: dependencies.storage,
      keys,
      consumers,
      publicUrl: () => address.publicUrl,
      urlOf: (name) => address.urlOf(name),
    }),
    ...domainRoutes({
      domains: dependencies.domains,
      hostOf: (name) => address.hostOf(name),
      certificates: dependencies.certificates,
    }),
    ...oauthRoutes(dependencies),
    ...portalRoutes({ ...dependencies, consumers, urlOf: (portal) => address.portalUrlOf(portal) }),
    ...variableRoutes(dependencies.variables),
    ...requestLogRoutes({
      followers: dependencies.followers,
      tail: dependencies.tail,
      history: dependencies.history,
      now: () => dependencies.clock.now(),
    }),
    ...auditRoutes(dependencies.auditLog, dependencies.auditKeys),
    ...analyticsRoutes(dependencies.history),
    ...searchRoutes((name) => address.hostOf(name)),
    ...webhookRoutes(dependencies.webhooks),
    ...viewRoutes(),
    ...overviewRoutes({ sendsMail: dependencies.mail.isEnabled }),
    ...systemStatusRoutes(dependencies.system),
  ];
  const configurations = new Configurations({
    kinds: allKinds(dependencies),
    storage: dependencies.storage,
    keyring: dependencies.keyring,
    accessOf: (operationId) => single.find((endpoint) => endpoint.operationId === operationId)!.access,
  });
  return [...single, ...configurationRoutes(configurations)];
}

/** Descriptions of the areas, in the order of the reference. */
export const areas = {
  ...consumerAreas,
  ...keyAreas,
  ...jobAreas,
  ...managerAreas,
  ...keyBucketAreas,
  ...meteringAreas,
  ...billingAreas,
  ...deploymentAreas,
  ...domainAreas,
  ...portalAreas,
  ...oauthAreas,
  ...variableAreas,
  ...searchAreas,
  ...requestLogAreas,
  ...auditAreas,
  ...analyticsAreas,
  ...overviewAreas,
  ...webhookAreas,
  ...configurationAreas,
  ...viewAreas,
  ...accountAreas,
  ...exportAreas,
  ...trustedIssuerAreas,
  ...memberAreas,
  ...sessionAreas,
  ...signInAreas,
  ...systemAreas,
};
