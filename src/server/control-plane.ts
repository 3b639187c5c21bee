import type { Area, AreaContext } from "../api/area.ts";
import { Credentials } from "../api/credentials.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { Idempotency } from "../api/idempotency.ts";
import { openApiDocument } from "../api/openapi.ts";
import { Pipeline } from "../api/pipeline.ts";
import { Authentication } from "../areas/access/accounts/authentication.ts";
import { accountArea } from "../areas/access/accounts/routes.ts";
import { OwnOrigin } from "../areas/access/console-sessions/own-origin.ts";
import { consoleSessionArea } from "../areas/access/console-sessions/routes.ts";
import { Sessions } from "../areas/access/console-sessions/sessions.ts";
import { consoleSignInArea } from "../areas/access/console-sign-in/routes.ts";
import { PeopleDirectory } from "../areas/access/members/people-directory.ts";
import { memberArea } from "../areas/access/members/routes.ts";
import { trustedIssuerArea } from "../areas/access/trusted-issuers/routes.ts";
import { leakMailer } from "../areas/api-keys/consumer-managers/leak-mail.ts";
import { managerArea } from "../areas/api-keys/consumer-managers/routes.ts";
import { bulkConsumersJobKind, changeConsumersPiece } from "../areas/api-keys/consumers/bulk.ts";
import { Consumers } from "../areas/api-keys/consumers/consumers.ts";
import { consumerArea } from "../areas/api-keys/consumers/routes.ts";
import { deleteKeyBucketsOf } from "../areas/api-keys/key-buckets/key-buckets.ts";
import { keyBucketArea } from "../areas/api-keys/key-buckets/routes.ts";
import { bulkKeysJobKind, changeKeysPiece } from "../areas/api-keys/keys/bulk/bulk-changes.ts";
import { Keys } from "../areas/api-keys/keys/keys.ts";
import { leakJobKind, markLeakedPiece } from "../areas/api-keys/keys/leaks.ts";
import { KeyReveals } from "../areas/api-keys/keys/reveals.ts";
import { keyArea } from "../areas/api-keys/keys/routes/routes.ts";
import { customersOfConsumers } from "../areas/commerce/billing/customers/consumer-customers.ts";
import { billingHooks } from "../areas/commerce/billing/periods/subscription-hooks.ts";
import { billingArea } from "../areas/commerce/billing/routes/routes.ts";
import { spendingLimits } from "../areas/commerce/billing/spending/spending-limits.ts";
import { partitionStatus } from "../areas/commerce/metering/partitions/partitions.ts";
import { Quotas } from "../areas/commerce/metering/quotas/quotas.ts";
import { meteringArea } from "../areas/commerce/metering/routes/routes.ts";
import { durableTake } from "../areas/commerce/metering/takes/durable-take.ts";
import { KeyQuotaTakes } from "../areas/commerce/metering/takes/key-quota-takes.ts";
import { usedIn } from "../areas/commerce/metering/usage/usage.ts";
import { deleteMeteringOf } from "../areas/commerce/metering-buckets/metering-buckets.ts";
import { meteringBucketArea } from "../areas/commerce/metering-buckets/routes.ts";
import { planArea } from "../areas/commerce/plans/routes.ts";
import { subscriptionArea } from "../areas/commerce/subscriptions/routes.ts";
import { jobArea } from "../areas/common/background-jobs/routes.ts";
import { mailArea } from "../areas/common/mail/routes.ts";
import { overviewArea } from "../areas/console/overview/routes.ts";
import { viewArea } from "../areas/console/saved-views/routes.ts";
import { searchArea } from "../areas/console/search/routes.ts";
import { oauthArea } from "../areas/customer-portal/oauth/routes/manage.ts";
import { portalArea } from "../areas/customer-portal/portal/routes/manage.ts";
import { builderProcess } from "../areas/gateways/deployments/builds/build-process.ts";
import type { RunBuilder } from "../areas/gateways/deployments/builds/build-run.ts";
import type { InspectArchive } from "../areas/gateways/deployments/builds/uploads.ts";
import { deleteDeploymentsOf, findPlace, placeOfBranch } from "../areas/gateways/deployments/deployments.ts";
import { deploymentArea } from "../areas/gateways/deployments/routes/routes.ts";
import type { Starter } from "../areas/gateways/deployments/versions/starter.ts";
import type { UpstreamStatuses } from "../areas/gateways/deployments/versions/upstream-status.ts";
import { Domains, deleteDomainsOf } from "../areas/gateways/domains/domains.ts";
import { domainArea } from "../areas/gateways/domains/routes.ts";
import { variableArea } from "../areas/gateways/variables/routes.ts";
import { Variables } from "../areas/gateways/variables/variables.ts";
import { analyticsArea } from "../areas/insight/analytics/routes.ts";
import { EventStreamClients } from "../areas/insight/request-log/event-stream-clients.ts";
import { requestLogArea } from "../areas/insight/request-log/routes.ts";
import { auditArea } from "../areas/operations/audit-log/routes.ts";
import type { SigningKeys } from "../areas/operations/audit-log/signing-keys.ts";
import { allKinds } from "../areas/operations/configuration/kinds/all-kinds.ts";
import { configurationArea } from "../areas/operations/configuration/routes/routes.ts";
import { exportArea } from "../areas/operations/exports/routes.ts";
import type { ProcessStatus } from "../areas/operations/system-status/process-status.ts";
import { systemArea } from "../areas/operations/system-status/routes.ts";
import { webhookArea } from "../areas/operations/webhooks/routes/routes.ts";
import { deleteWebhooksOf } from "../areas/operations/webhooks/webhooks.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import { builderFile } from "../lib/files/entry-points.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";
import { deleteOldWriters } from "../platform/storage/batch-writer.ts";
import { trimChanges } from "../platform/storage/change-feed/changes.ts";
import type { NamedWrite } from "../platform/storage/named-write.ts";
import { inOrder, type Removal } from "../platform/storage/removal.ts";
import type { Certificates } from "../platform/tls/certificates.ts";
import { openAssistant } from "./assistant/open-assistant.ts";
import { BackgroundRemoval } from "./background-services/background-removal.ts";
import type { LocalCounters } from "./background-services/counters.ts";
import { openMail } from "./background-services/mail.ts";
import { openPayments } from "./background-services/payments.ts";
import { openPortal, type PortalServices } from "./background-services/portal.ts";
import { openProvider } from "./background-services/provider.ts";
import { openStorageCheck } from "./background-services/storage-check.ts";
import type { DataPlane } from "./data-plane.ts";
import { type SystemRoute, systemRoutes } from "./dispatch/system-routes.ts";
import { managementDocument, portalDocument, sectionOrder } from "./documents.ts";
import type { Foundation } from "./foundation/foundation.ts";
import type { OwnAddress } from "./foundation/own-address.ts";
import { resealInBackground } from "./maintenance/reseal.ts";
import { release } from "./release.ts";

export const version = release;

/** How often expired and surplus rows are deleted. */
const removalSeconds = 60;
/**
 * A delay, because preparing the statements of all removals takes about 20 ms, which would delay the first requests.
 */
const firstRemovalSeconds = 1;
/** How often values that are sealed with older encryption keys are resealed. Also the delay after a start. */
const resealSeconds = 60;

const builder = [process.execPath, builderFile];

interface ControlPlaneOptions {
  keyring: Keyring;
  counters: LocalCounters;
  /** Starts versions wherever they will serve. */
  starter: Starter;
  /** The status of upstreams; that of this process by default. */
  upstreams?: UpstreamStatuses | undefined;
  auditKeys: SigningKeys;
  address: OwnAddress;
  /** The metrics of all processes of the machine. */
  metricsText?: ((options: { withNames: boolean }) => Promise<string>) | undefined;
  /** The workers, if there are any. */
  otherProcesses?: (() => Promise<ProcessStatus[]>) | undefined;
  /** The certificates of the listeners; undefined if they use plain HTTP. */
  certificates?: Certificates | undefined;
  /** The command of the builder, which reads an archive and writes a report. */
  builderCommand?: string[] | undefined;
  /** Replaces the builder's process. */
  runBuilder?: RunBuilder | undefined;
}

/** Imports the archive reader on first use: it would slow down every start. */
const inspectUpload: InspectArchive = async (chunks) => {
  const { inspectArchive } = await import("../builder/archive/archive.ts");
  return inspectArchive(chunks);
};

/** The management API and the builds. */
export interface ControlPlane {
  endpoints: Endpoint[];
  /** The OpenAPI document of some of them. */
  documentOf(endpoints: Endpoint[]): Promise<object>;
  pipeline: Pipeline;
  /** The management API for assistants. */
  assistant(request: HttpRequest): Promise<HttpResponse>;
  system: Record<string, SystemRoute>;
  followers: EventStreamClients;
  portal: PortalServices;
  /** The writes that workers send, in addition to those of the data plane. */
  transferred: NamedWrite<never, unknown>[];
  /** Begins background work. Call it after the server listens. */
  start(): Promise<void>;
  /** Bills what is due, creates and delivers due webhook messages and seals the audit log. */
  catchUp(): Promise<void>;
}

export function openControlPlane(
  foundation: Foundation,
  {
    buckets,
    meteringBuckets,
    verifier,
    verifications,
    deploymentLogs,
    requests,
    domains: customDomains,
    addresses,
    portals,
    portalAddresses,
    ownHosts,
    gateway,
    testValues,
    jwksSources,
    egress,
  }: DataPlane,
  {
    keyring,
    auditKeys,
    address,
    certificates,
    counters,
    starter,
    upstreams,
    metricsText,
    otherProcesses,
    builderCommand = builder,
    runBuilder = builderProcess(builderCommand, foundation.config.egress),
  }: ControlPlaneOptions,
): ControlPlane {
  const { config, clock, log, metrics, storage, tracer, lifecycle } = foundation;
  const context: AreaContext = { ...foundation, keyring, address, retention: config };
  const authentication = new Authentication(storage, config.operatorToken);
  const people = new PeopleDirectory(storage);
  const origin = new OwnOrigin(config.publicUrl, config.tls !== undefined);
  const sessions = new Sessions(storage, authentication, people, origin);
  const { mail, signIns } = openMail(foundation, address);
  const payments = openPayments(foundation, { keyring, mail });
  const keys = new Keys(keyring);
  const reveals = new KeyReveals(storage);
  const consumers = new Consumers(keys, buckets, customersOfConsumers);
  const quotas = new Quotas(storage, counters.ledger, spendingLimits);
  const durable = durableTake({ quotas, once: new Idempotency(storage, keyring) });
  const takes = new KeyQuotaTakes({ storage, buckets: meteringBuckets, quotas: counters.quotas, durable });
  const followers = new EventStreamClients();
  const variables = new Variables(keyring);
  const domains = new Domains({
    hostOf: (deployment) => address.hostOf(deployment),
    isOwnHost: (host) =>
      ownHosts.isCertain(host) || addresses.nameIn(host) !== undefined || portalAddresses.nameIn(host) !== undefined,
  });
  const portal = openPortal(foundation, {
    directory: portals,
    keys,
    consumers,
    keyring,
    address,
    mail,
    tryRequests: gateway,
    egress,
    resources: { addresses, domains: customDomains },
    payments: payments.services,
  });

  const mails = mailArea(context, mail);
  const exports = exportArea(context, { egress: config.egress, directory: config.exportDirectory });
  const billing = billingArea(context, payments, {
    heldIn: (subscriptionSeq, periodStart) => counters.ledger.heldIn(subscriptionSeq, periodStart),
    heldSubscriptions: () => counters.ledger.heldSubscriptions,
  });
  const audit = auditArea(context, auditKeys);
  const webhooks = webhookArea(context, config.egress);
  // In the order of their endpoints, of their removals and of their start.
  const areas: Area[] = [
    accountArea(context, authentication, [
      deleteKeyBucketsOf,
      deleteMeteringOf,
      deleteDomainsOf,
      deleteDeploymentsOf,
      deleteWebhooksOf,
    ]),
    exports,
    trustedIssuerArea(context, jwksSources),
    memberArea(context, {
      people,
      mail: mail.isEnabled ? mail : undefined,
      endSessions: (transaction, act, personSeq) => sessions.endOfMember(transaction, act, personSeq),
    }),
    mails,
    consoleSessionArea(context, sessions),
    consoleSignInArea(context, {
      sessions,
      signIns,
      hasMail: mail.isEnabled && (config.mail?.hasSignIn ?? true),
      provider: config.oidc && new URL(config.oidc.issuer).host,
    }),
    keyBucketArea(context),
    consumerArea(consumers, keys, buckets, reveals),
    keyArea({ keys, consumers, verifier, verifications, buckets, takes, reveals }),
    jobArea(context, {
      [bulkKeysJobKind]: changeKeysPiece,
      [bulkConsumersJobKind]: changeConsumersPiece,
      [leakJobKind]: markLeakedPiece(leakMailer(mail)),
    }),
    managerArea(consumers),
    meteringBucketArea(context),
    planArea(),
    subscriptionArea(billingHooks, usedIn),
    meteringArea(context, { quotas, credits: spendingLimits }),
    billing,
    deploymentArea(context, {
      inspect: inspectUpload,
      runBuilder,
      logs: deploymentLogs,
      starter,
      upstreams: upstreams ?? gateway,
      testValues,
      tryRequests: gateway,
      keys,
      consumers,
    }),
    domainArea(context, { domains, dnsServers: config.dnsServers, certificates }),
    oauthArea(context, { consumers, signingKeys: portal.signingKeys }),
    portalArea(context, { consumers, mail, sessions: portal.sessions, pages: portal.pages }),
    variableArea(variables),
    requestLogArea(context, { followers, requests }),
    audit,
    analyticsArea(context),
    searchArea((name) => address.hostOf(name)),
    webhooks,
    viewArea(),
    overviewArea(mail.isEnabled),
    systemArea(context, {
      otherProcesses,
      version,
      dataDirectory: config.dataDirectory,
      usageEvents: () => partitionStatus(storage),
    }),
  ];
  const operations = areas.flatMap((area) => area.endpoints);
  areas.push(
    configurationArea(context, {
      kinds: allKinds({
        ...{ webhooks: webhooks.webhooks, exports: exports.exports },
        ...{ domains, variables, keyring, payments },
      }),
      accessOf: (operationId) => operations.find((endpoint) => endpoint.operationId === operationId)!.access,
    }),
  );
  const endpoints = areas.flatMap((area) => area.endpoints);
  const sections = Object.assign({}, ...areas.map((area) => area.sections));
  const documentOf = (described: Endpoint[]) =>
    openApiDocument(described, {
      ...managementDocument,
      version,
      url: config.publicUrl,
      areas: Object.fromEntries(sectionOrder.map((name) => [name, sections[name]])),
    });
  const provider = openProvider(foundation, { sessions, keyring, address });
  const storageCheck = openStorageCheck(foundation);
  const system = {
    ...provider?.routes,
    ...systemRoutes({
      storage,
      storageCheck,
      metrics: metricsText ? { contentType: metrics.contentType, text: metricsText } : metrics,
      version,
      auditKeys: auditKeys.publicKeys,
      openApi: () => documentOf(endpoints),
      portalOpenApi: async () => {
        const api = await portal.api();
        return openApiDocument(api.endpoints, { ...portalDocument, version, url: undefined, areas: api.areas });
      },
      // Imported on demand: the schemas of projects are not part of a server's start.
      schemas: {
        "/schemas/configuration.json": async () => (await import("./json-schemas.ts")).configurationJsonSchema(),
        "/schemas/project.json": async () => (await import("./json-schemas.ts")).projectJsonSchema(),
      },
      phase: () => lifecycle.phase,
      metricsToken: config.metricsToken,
      now: () => clock.now(),
    }),
  };
  const credentials = new Credentials(authentication, sessions);
  const pipeline = new Pipeline({
    endpoints,
    systemPaths: [...Object.keys(system), "/console"],
    credentials,
    places: {
      findByDeployment: (accountSeq, name) => findPlace(storage.reads, accountSeq, name),
      findByBranch: (accountSeq, branch) => placeOfBranch(storage.reads, accountSeq, branch),
    },
    storage,
    keyring,
    clock,
    log,
    metrics,
    tracer,
  });

  const assistant = openAssistant({
    endpoints,
    documentOf,
    pipeline,
    credentials,
    keyring,
    clock,
    log,
    metrics,
    allowsWrites: config.mcpWrites,
    version,
  });

  // Sequentially: in parallel they would block writers until all of them end.
  const removals: Removal[] = [
    (signal) => counters.windows.forgetEnded(clock.now(), signal),
    (signal) => pipeline.idempotency.deleteExpired(clock.now(), signal),
    ...areas.flatMap((area) => area.removals ?? []),
    (signal) => trimChanges(storage, clock.now(), signal),
    (signal) => storage.releaseSpace(signal),
  ];
  const failed = (error: unknown) => log.warn("cleanup failed and will be retried", { error });
  lifecycle.every(removalSeconds, "removal", inOrder(removals, failed), firstRemovalSeconds);
  const contents = areas.flatMap((area) => area.contents ?? []);
  const background = new BackgroundRemoval(storage, contents, failed);
  lifecycle.onClose("background removal", () => background.stop());
  lifecycle.every(removalSeconds, "background removal", async () => background.wake(), firstRemovalSeconds);
  lifecycle.every(resealSeconds, "resealing", (signal) => resealInBackground(storage, keyring, log, signal));
  lifecycle.every(3600, "batch writers", () => deleteOldWriters(storage, clock.now()));

  return {
    endpoints,
    documentOf,
    pipeline,
    assistant,
    system,
    followers,
    portal,
    transferred: [durable],
    async start() {
      for (const area of areas) await area.start?.();
    },
    async catchUp() {
      for (const area of [billing, webhooks, mails, audit]) await area.catchUp();
    },
  };
}
