import { Credentials } from "../api/credentials.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { Idempotency } from "../api/idempotency.ts";
import { openApiDocument } from "../api/openapi.ts";
import { Pipeline } from "../api/pipeline.ts";
import { Authentication } from "../areas/access/accounts/authentication.ts";
import { removeExpiredTokens } from "../areas/access/accounts/exchanged.ts";
import { OwnOrigin } from "../areas/access/console-sessions/own-origin.ts";
import { Sessions } from "../areas/access/console-sessions/sessions.ts";
import { removeOldSignIns } from "../areas/access/mail-sign-in/mail-sign-ins.ts";
import { PeopleDirectory } from "../areas/access/members/people-directory.ts";
import { TokenExchange } from "../areas/access/trusted-issuers/token-exchange.ts";
import { TrustedIssuers } from "../areas/access/trusted-issuers/trusted-issuers.ts";
import { leakMailer } from "../areas/api-keys/consumer-managers/leak-mail.ts";
import { bulkConsumersJobKind, changeConsumersPiece } from "../areas/api-keys/consumers/bulk.ts";
import { Consumers } from "../areas/api-keys/consumers/consumers.ts";
import { bulkKeysJobKind, changeKeysPiece } from "../areas/api-keys/keys/bulk/bulk-changes.ts";
import { Keys } from "../areas/api-keys/keys/keys.ts";
import { leakJobKind, markLeakedPiece } from "../areas/api-keys/keys/leaks.ts";
import { KeyReveals } from "../areas/api-keys/keys/reveals.ts";
import { customersOfConsumers } from "../areas/commerce/billing/customers/consumer-customers.ts";
import { TopUps } from "../areas/commerce/billing/packs/top-ups.ts";
import { removeExpiredCheckouts } from "../areas/commerce/billing/payments/checkouts.ts";
import { type BillingFailed, billDue, settleDueCredits } from "../areas/commerce/billing/periods/billing-job.ts";
import { storeRecurringFees } from "../areas/commerce/billing/periods/recurring-revenue.ts";
import { SpendThresholds } from "../areas/commerce/billing/periods/threshold-job.ts";
import { checkoutsPath } from "../areas/commerce/billing/routes/pack-purchases.ts";
import {
  removeOldSimulations,
  simulatePage,
  simulationJobKind,
} from "../areas/commerce/billing/simulations/simulations.ts";
import { spendingLimits } from "../areas/commerce/billing/spending/spending-limits.ts";
import { keepPartitions, partitionStatus } from "../areas/commerce/metering/partitions/partitions.ts";
import { Quotas } from "../areas/commerce/metering/quotas/quotas.ts";
import { durableTake } from "../areas/commerce/metering/takes/durable-take.ts";
import { expireHolds, removeOldHolds } from "../areas/commerce/metering/takes/holds.ts";
import { KeyQuotaTakes } from "../areas/commerce/metering/takes/key-quota-takes.ts";
import { UsageEvents } from "../areas/commerce/metering/usage/events.ts";
import { rankUsage } from "../areas/commerce/metering/usage/rank-usage.ts";
import { removeOldEvents, removeOldUsageHours } from "../areas/commerce/metering/usage/retention.ts";
import { JobRunner } from "../areas/common/background-jobs/job-runner.ts";
import { removeOldJobs } from "../areas/common/background-jobs/jobs.ts";
import { removeExpiredAuthorizations } from "../areas/customer-portal/oauth/authorizations.ts";
import { builderProcess } from "../areas/gateways/deployments/builds/build-process.ts";
import { BuildQueue } from "../areas/gateways/deployments/builds/build-queue.ts";
import type { RunBuilder } from "../areas/gateways/deployments/builds/build-run.ts";
import { type InspectArchive, Uploads } from "../areas/gateways/deployments/builds/uploads.ts";
import { findPlace, placeOfBranch } from "../areas/gateways/deployments/deployments.ts";
import type { Starter } from "../areas/gateways/deployments/versions/starter.ts";
import type { UpstreamStatuses } from "../areas/gateways/deployments/versions/upstream-status.ts";
import { Domains } from "../areas/gateways/domains/domains.ts";
import { Variables } from "../areas/gateways/variables/variables.ts";
import { removeOldCounts } from "../areas/insight/analytics/retention.ts";
import { EventStreamClients } from "../areas/insight/request-log/event-stream-clients.ts";
import { RequestTail } from "../areas/insight/request-log/request-tail.ts";
import { AuditLog } from "../areas/operations/audit-log/audit-log.ts";
import { trimAuditLog } from "../areas/operations/audit-log/retention.ts";
import { readerName, Sealer, sealedAtOnce } from "../areas/operations/audit-log/sealer.ts";
import type { SigningKeys } from "../areas/operations/audit-log/signing-keys.ts";
import { removeExpiredInputs } from "../areas/operations/configuration/apply/expired-plans.ts";
import type { ProcessStatus } from "../areas/operations/system-status/process-status.ts";
import { removeOldMessages } from "../areas/operations/webhooks/deliveries/retention.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import { builderFile } from "../lib/files/entry-points.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";
import { deleteOldWriters } from "../platform/storage/batch-writer.ts";
import { trimChanges } from "../platform/storage/change-feed/changes.ts";
import { DurableReader } from "../platform/storage/change-feed/durable-reader.ts";
import type { NamedWrite } from "../platform/storage/named-write.ts";
import { inOrder, type Removal } from "../platform/storage/removal.ts";
import type { Certificates } from "../platform/tls/certificates.ts";
import { openAssistant } from "./assistant/open-assistant.ts";
import { BackgroundRemoval } from "./background-services/background-removal.ts";
import type { LocalCounters } from "./background-services/counters.ts";
import { type DomainChecks, openDomainChecks } from "./background-services/domain-checks.ts";
import { openExports } from "./background-services/exports.ts";
import { openMail } from "./background-services/mail.ts";
import { openPayments } from "./background-services/payments.ts";
import { openPortal, type PortalServices } from "./background-services/portal.ts";
import { openProvider } from "./background-services/provider.ts";
import { openStorageCheck } from "./background-services/storage-check.ts";
import { openWebhooks, type WebhookService } from "./background-services/webhooks.ts";
import type { DataPlane } from "./data-plane.ts";
import { type SystemRoute, systemRoutes } from "./dispatch/system-routes.ts";
import { managementDocument, portalDocument } from "./documents.ts";
import type { Foundation } from "./foundation/foundation.ts";
import type { OwnAddress } from "./foundation/own-address.ts";
import { resealInBackground } from "./maintenance/reseal.ts";
import { release } from "./release.ts";
import { areas, routes } from "./routes.ts";

export const version = release;

/** How often expired and surplus rows are deleted. */
/** How often holds of verify-key that have expired are ended. */
const holdSeconds = 0.5;
const removalSeconds = 60;
/**
 * A delay, because preparing the statements of all removals takes about 20 ms, which would delay the first requests.
 */
const firstRemovalSeconds = 1;
/** How often audit log entries are added to the hash chain, and how often signed heads are logged. */
const sealSeconds = 1;
/** How late an invoice may be that is due to time. */
const billingSeconds = 2;
/** The cost grows with the number of customers that have a cap. */
const spendingSeconds = 30;
/** How late an automatic top-up may be started. */
const topUpSeconds = 2;
const headSeconds = 10;

/** How often values that are sealed with older encryption keys are resealed. Also the delay after a start. */
const resealSeconds = 60;

const dayMilliseconds = 24 * 60 * 60 * 1000;

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
  pipeline: Pipeline;
  /** The management API for assistants. */
  assistant(request: HttpRequest): Promise<HttpResponse>;
  system: Record<string, SystemRoute>;
  builds: BuildQueue;
  /** Each runs kinds of jobs. */
  jobs: JobRunner[];
  followers: EventStreamClients;
  webhooks: WebhookService;
  domainChecks: DomainChecks;
  portal: PortalServices;
  /** The writes that workers send, in addition to those of the data plane. */
  transferred: NamedWrite<never, unknown>[];
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
  const { config, clock, log, metrics, storage, history, tracer, lifecycle } = foundation;
  const authentication = new Authentication(storage, config.operatorToken);
  metrics.cache("tokens", () => authentication.credentials);
  lifecycle.onClose("token uses", () => authentication.saveLastUse());
  lifecycle.every(30, "token uses", () => authentication.saveLastUse());

  const people = new PeopleDirectory(storage);
  metrics.cache("people", () => people.cache);
  const origin = new OwnOrigin(config.publicUrl, config.tls !== undefined);
  const sessions = new Sessions(storage, authentication, people, origin);
  metrics.cache("sessions", () => sessions.cache);
  lifecycle.onClose("session uses", () => sessions.saveLastUse());
  lifecycle.every(30, "session uses", () => sessions.saveLastUse());

  const { mail, signIns } = openMail(foundation, address);

  const keys = new Keys(keyring);
  const followers = new EventStreamClients();
  const builds = new BuildQueue({
    storage,
    clock,
    runBuilder,
    starter,
    logs: deploymentLogs,
    log,
  });
  lifecycle.onClose("builds", () => builds.stop());

  const auditReader = new DurableReader(storage, readerName, { page: sealedAtOnce });
  const sealer = new Sealer({ storage, reader: auditReader, keys: auditKeys, clock, log });
  // Runs at once: the sealer's first run records where unsealed entries begin.
  lifecycle.everyFromNow(sealSeconds, "audit log", (signal) => sealer.seal(signal));
  lifecycle.every(headSeconds, "audit log heads", () => sealer.signHeads());

  const jobs = new JobRunner({
    name: "jobs",
    storage,
    clock,
    log,
    kinds: {
      [bulkKeysJobKind]: changeKeysPiece,
      [bulkConsumersJobKind]: changeConsumersPiece,
      [leakJobKind]: markLeakedPiece(leakMailer(mail)),
    },
  });
  lifecycle.onClose("jobs", () => jobs.stop());
  // They only read, for minutes: no other job waits for them.
  const simulations = new JobRunner({
    name: "simulations",
    storage,
    clock,
    log,
    kinds: { [simulationJobKind]: simulatePage(history) },
  });
  lifecycle.onClose("simulations", () => simulations.stop());

  const billingFailed: BillingFailed = (error, failure) =>
    failure === "batch"
      ? log.warn("several customers could not be billed together; billing them one by one", { error })
      : log.error("a subscription could not be billed; will retry", { error });
  const bill = async (signal?: AbortSignal) => {
    await billDue(storage, clock, billingFailed, signal);
    await settleDueCredits(storage, clock, billingFailed, signal);
  };
  lifecycle.every(billingSeconds, "billing", bill);
  lifecycle.every(60, "recurring fees", (signal) => storeRecurringFees(storage, clock.now(), signal));
  const thresholdFailed = (error: unknown) => log.error("spending could not be compared; will retry", { error });
  const spendThresholds = new SpendThresholds({ storage, clock, failed: thresholdFailed });
  lifecycle.every(spendingSeconds, "spend thresholds", (signal) => spendThresholds.announce(signal));
  const topUpFailed = (error: unknown) => log.error("an automatic top-up could not be started; will retry", { error });
  const topUps = new TopUps({
    storage,
    clock,
    heldIn: (subscriptionSeq, periodStart) => counters.ledger.heldIn(subscriptionSeq, periodStart),
    heldSubscriptions: () => counters.ledger.heldSubscriptions,
    page: {
      url: (token) => `${address.publicUrl}${checkoutsPath}/${token}`,
      get returnUrl() {
        return address.publicUrl;
      },
    },
    failed: topUpFailed,
  });
  lifecycle.every(topUpSeconds, "top-ups", (signal) => topUps.start(signal));
  const payments = openPayments(foundation, { keyring, mail });

  const webhooks = openWebhooks(foundation, keyring);
  const exports = openExports(foundation, keyring);

  const domains = new Domains({
    hostOf: (deployment) => address.hostOf(deployment),
    isOwnHost: (host) =>
      ownHosts.isCertain(host) || addresses.nameIn(host) !== undefined || portalAddresses.nameIn(host) !== undefined,
  });
  const domainChecks = openDomainChecks(foundation, address);

  const consumers = new Consumers(keys, buckets, customersOfConsumers);
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

  const quotas = new Quotas(storage, counters.ledger, spendingLimits);
  const durable = durableTake({ quotas, once: new Idempotency(storage, keyring) });
  const takes = new KeyQuotaTakes({ storage, buckets: meteringBuckets, quotas: counters.quotas, durable });
  lifecycle.every(holdSeconds, "expired holds", (signal) => expireHolds(storage, clock.now(), signal));

  const audienceOf = (accountName: string) => `${address.publicUrl}/v1/accounts/${accountName}`;
  const endpoints = routes({
    authentication,
    exports,
    trustedIssuers: new TrustedIssuers(audienceOf),
    tokenExchange: new TokenExchange({ storage, sources: jwksSources, audienceOf }),
    sessions,
    mail,
    signIns,
    hasMailSignIn: config.mail?.hasSignIn ?? true,
    providerHost: config.oidc && new URL(config.oidc.issuer).host,
    buckets,
    keys,
    verifier,
    verifications,
    consumers,
    signingKeys: portal.signingKeys,
    portalPages: portal.pages,
    usageEvents: new UsageEvents(storage),
    quotas,
    takes,
    uploads: new Uploads(storage, inspectUpload, clock),
    builds,
    storage,
    starter,
    upstreams: upstreams ?? gateway,
    testValues,
    tryRequests: gateway,
    followers,
    tail: new RequestTail(storage.reads, () => clock.now()),
    variables: new Variables(keyring),
    auditLog: new AuditLog(auditReader),
    auditKeys,
    reveals: new KeyReveals(storage),
    webhooks: webhooks.webhooks,
    domains,
    certificates,
    clock,
    keyring,
    address,
    payments,
    history,
    system: {
      storage,
      history,
      metrics,
      otherProcesses,
      version,
      startedOn: clock.now(),
      dataDirectory: config.dataDirectory,
      retention: {
        requestDays: config.requestDays,
        auditLogDays: config.auditDays,
        usageEventDays: config.eventDays,
      },
      usageEvents: () => partitionStatus(storage),
    },
  });
  const documentOf = (described: Endpoint[]) =>
    openApiDocument(described, { ...managementDocument, version, url: config.publicUrl, areas });
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
    (signal) => deploymentLogs.trim(clock.now(), signal),
    (signal) => requests.trim(clock.now(), signal),
    (signal) => sessions.deleteEnded(clock.now(), signal),
    (signal) => removeExpiredCheckouts(storage, clock.now(), signal),
    (signal) => removeExpiredTokens(storage, clock.now(), signal),
    (signal) => removeOldSignIns(storage, clock.now(), signal),
    (signal) => mail.removeOld(clock.now(), signal),
    (signal) => portal.sessions.deleteExpired(clock.now(), signal),
    (signal) => removeExpiredAuthorizations(storage, clock.now(), signal),
    (signal) => builds.tidy(signal),
    (signal) => removeOldEvents(storage, clock.now() - config.eventDays * dayMilliseconds, signal),
    (signal) => removeOldJobs(storage, clock.now(), signal),
    (signal) => removeOldSimulations(storage, clock.now(), signal),
    (signal) => trimAuditLog(storage, clock.now() - config.auditDays * dayMilliseconds, signal),
    (signal) => removeOldUsageHours(storage, clock.now(), signal),
    (signal) => removeOldHolds(storage, clock.now(), signal),
    (signal) => removeOldCounts(storage, clock.now(), signal),
    (signal) => removeExpiredInputs(storage, clock.now(), signal),
    (signal) => payments.removeOld(clock.now(), signal),
    (signal) => removeOldMessages(storage, clock.now(), signal),
    (signal) => trimChanges(storage, clock.now(), signal),
    (signal) => storage.releaseSpace(signal),
  ];
  const failed = (error: unknown) => log.warn("cleanup failed and will be retried", { error });
  lifecycle.every(removalSeconds, "removal", inOrder(removals, failed), firstRemovalSeconds);
  const background = new BackgroundRemoval(storage, failed);
  lifecycle.onClose("background removal", () => background.stop());
  lifecycle.every(removalSeconds, "background removal", async () => background.wake(), firstRemovalSeconds);
  lifecycle.every(
    removalSeconds,
    "partitions of usage events",
    (signal) => keepPartitions(storage, { now: clock.now(), retentionDays: config.eventDays, signal }),
    firstRemovalSeconds,
  );
  lifecycle.every(resealSeconds, "resealing", (signal) => resealInBackground(storage, keyring, log, signal));
  lifecycle.every(
    removalSeconds,
    "usage rankings",
    (signal) => rankUsage({ storage, clock, signal }),
    firstRemovalSeconds,
  );
  lifecycle.every(3600, "batch writers", () => deleteOldWriters(storage, clock.now()));

  const catchUp = async () => {
    await bill();
    await topUps.start();
    await payments.run();
    await webhooks.catchUp();
    await mail.sendDue();
    await sealer.seal();
  };
  return {
    pipeline,
    assistant,
    system,
    builds,
    jobs: [jobs, simulations],
    followers,
    webhooks,
    domainChecks,
    portal,
    transferred: [durable],
    catchUp,
  };
}
