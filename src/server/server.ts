import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { openApiDocument } from "../api/openapi.ts";
import { Pipeline } from "../api/pipeline.ts";
import { Authentication } from "../areas/accounts/authentication.ts";
import { type FirstStart, prepareFirstStart } from "../areas/accounts/first-start.ts";
import { accountAreas, accountRoutes } from "../areas/accounts/routes.ts";
import { deleteBucketsOf } from "../areas/buckets/buckets.ts";
import { BucketDirectory } from "../areas/buckets/directory.ts";
import { bucketAreas, bucketRoutes } from "../areas/buckets/routes.ts";
import { Consumers } from "../areas/consumers/consumers.ts";
import { consumerAreas, consumerRoutes } from "../areas/consumers/routes.ts";
import { builderProcess } from "../areas/deployments/build-process.ts";
import { BuildQueue } from "../areas/deployments/build-queue.ts";
import { deleteDeploymentsOf } from "../areas/deployments/deployments.ts";
import { DeploymentDirectory } from "../areas/deployments/directory.ts";
import { LogFollowers } from "../areas/deployments/log-follower.ts";
import { DeploymentLogs } from "../areas/deployments/logs.ts";
import { deploymentAreas, deploymentRoutes } from "../areas/deployments/routes.ts";
import { Uploads } from "../areas/deployments/uploads.ts";
import { Keys } from "../areas/keys/keys.ts";
import { keyAreas, keyRoutes } from "../areas/keys/routes.ts";
import { KeyVerifier } from "../areas/keys/verifier.ts";
import { managerAreas, managerRoutes } from "../areas/managers/routes.ts";
import { deleteMeteringOf } from "../areas/metering/buckets.ts";
import { UsageEvents } from "../areas/metering/events.ts";
import { QuotaLedger } from "../areas/metering/quota-ledger.ts";
import { Quotas } from "../areas/metering/quotas.ts";
import { removeOldEvents } from "../areas/metering/retention.ts";
import { meteringAreas, meteringRoutes } from "../areas/metering/routes.ts";
import { usageAreas, usageRoutes } from "../areas/metering/usage-routes.ts";
import { inspectArchive } from "../builder/archive.ts";
import type { Config } from "../config/config.ts";
import { openKeyring } from "../core/database/encryption.ts";
import { migrations } from "../core/database/migrations/index.ts";
import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { Metrics } from "../core/metrics/metrics.ts";
import { Gateway } from "../gateway/gateway.ts";
import { PolicyFactory } from "../gateway/policies/policies.ts";
import { RateLimitWindows } from "../gateway/policies/rate-limit/windows.ts";
import { WorkerdSandboxes } from "../gateway/sandbox/sandboxes.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { repeat, repeatFromNow } from "../lib/repeat.ts";
import { Egress } from "../platform/egress/egress.ts";
import { forgetOldWriters } from "../platform/storage/batch-writer.ts";
import { trimChanges } from "../platform/storage/changes.ts";
import { writeServerUrl } from "../platform/storage/data-directory.ts";
import { openStorage } from "../platform/storage/open.ts";
import { inOrder, type Removal } from "../platform/storage/removal.ts";
import { Log, type LogSink } from "../platform/telemetry/log.ts";
import { listen } from "./listener.ts";
import { OwnHosts } from "./own-hosts.ts";
import { systemRoutes } from "./system-routes.ts";

export const version = packageJson.version;

export interface Service {
  /** Where this process listens. */
  url: string;
  firstStart: FirstStart;
  /** Answers what is under way, writes what is still to be written, and lets go of everything. */
  stop(): Promise<void>;
}

export interface Dependencies {
  clock?: Clock;
  log?: LogSink;
  /** For people at a terminal instead of for programs. */
  readableLog?: boolean;
  /** How to start a builder: a program that reads an archive and writes a report. */
  builderCommand?: string[];
  /** Deployments by Host headers beside their own; may change at any time. */
  hostAliases?: ReadonlyMap<string, string>;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** How long a hard kill may lose of what gateways counted, and how far nodes may be apart in it. */
const flushSeconds = 0.2;

/** How often what is too old or too much is removed, all of it. */
const removalSeconds = 60;

const builder = [process.execPath, join(import.meta.dir, "../builder/main.ts")];

const stdout: LogSink = { write: (text) => process.stdout.write(text) };

export async function startService(config: Config, dependencies: Dependencies = {}): Promise<Service> {
  const {
    clock = systemClock,
    log: sink = stdout,
    readableLog = false,
    builderCommand = builder,
    hostAliases,
  } = dependencies;
  const log = new Log({ level: config.logLevel, readable: readableLog, sink });
  const metrics = new Metrics();
  const failed = (error: unknown) => log.warn("housekeeping failed and will be tried again", { error });

  const storage = await openStorage({
    dataDirectory: config.dataDirectory,
    databaseUrl: config.databaseUrl,
    migrations,
    staleSeconds: config.staleSeconds,
    now: () => clock.now(),
    observer: metrics.storage,
    warn: (message, error) => log.warn(message, error === undefined ? {} : { error }),
  });
  try {
    const keyring = await openKeyring(storage, {
      configured: config.encryptionKeys,
      dataDirectory: config.dataDirectory,
      acceptedLosses: config.acceptedKeyLosses,
      now: clock.now(),
      warn: (message) => log.warn(message),
    });
    const firstStart = await prepareFirstStart(storage, {
      account: config.account,
      adminToken: config.adminToken,
      dataDirectory: config.dataDirectory,
      now: clock.now(),
    });

    const authentication = new Authentication(storage, config.operatorToken);
    const buckets = new BucketDirectory(storage);
    const keys = new Keys(keyring);
    const verifier = new KeyVerifier(storage, buckets, config.cacheMegabytes * 1024 * 1024);
    const consumers = new Consumers(keys, buckets);
    const usageEvents = new UsageEvents(storage);
    const quotas = new Quotas(storage);

    const ledger = new QuotaLedger(storage, clock);
    const windows = new RateLimitWindows(storage);
    const egress = new Egress(config.egress);
    const directory = new DeploymentDirectory(storage);
    const deploymentLogs = new DeploymentLogs(storage, failed);
    const followers = new LogFollowers(storage);
    const addresses = new GatewayAddresses(
      config.gatewayUrl ?? "http://{name}.localhost",
      config.publicUrl,
      hostAliases,
    );
    const sandboxes = new WorkerdSandboxes({ egress, warn: failed });
    const gateway = new Gateway({
      live: directory,
      logs: deploymentLogs,
      sandboxes,
      egress,
      policies: new PolicyFactory({ verifier, ledger, windows }),
      addresses,
      clock,
      log,
      metrics,
    });
    directory.follow((name, live) => gateway.deploymentChanged(name, live));
    const uploads = new Uploads(storage, inspectArchive, clock);
    const builds = new BuildQueue({
      storage,
      clock,
      runBuilder: builderProcess(builderCommand, config.egress),
      starter: gateway,
      logs: deploymentLogs,
      log,
    });

    metrics.cache("tokens", () => authentication.credentials);
    metrics.cache("buckets", () => buckets.cache);
    metrics.cache("keys", () => verifier.cache);

    const endpoints = [
      ...accountRoutes(authentication, [deleteBucketsOf, deleteMeteringOf, deleteDeploymentsOf]),
      ...bucketRoutes(),
      ...consumerRoutes(consumers, keys, buckets),
      ...keyRoutes(keys, consumers, verifier, buckets),
      ...managerRoutes(consumers),
      ...meteringRoutes(),
      ...usageRoutes(usageEvents, quotas),
      ...deploymentRoutes({
        uploads,
        starter: gateway,
        followers,
        now: () => clock.now(),
        publicUrl: () => config.publicUrl ?? url(),
        urlOf: (name) => (config.gatewayUrl ?? `http://{name}.localhost:${listener.port}`).replace("{name}", name),
      }),
    ];
    const areas = {
      ...consumerAreas,
      ...keyAreas,
      ...managerAreas,
      ...bucketAreas,
      ...meteringAreas,
      ...usageAreas,
      ...deploymentAreas,
      ...accountAreas,
    };

    let stopping = false;
    const openApi = () => openApiDocument(endpoints, { version, url: config.publicUrl, areas });
    const system = systemRoutes({ storage, metrics, openApi, isStopping: () => stopping });
    const pipeline = new Pipeline({
      endpoints,
      systemPaths: Object.keys(system),
      authenticator: authentication,
      storage,
      keyring,
      clock,
      log,
      metrics,
    });
    const listener = listen({
      host: config.host,
      port: config.port,
      system,
      clock,
      log,
      handle: (request) => pipeline.handle(request),
      gateway,
      hosts: new OwnHosts(config.publicUrl, config.allowedHosts),
    });
    await builds.start();

    // One after the other: several at once would hold up writers for as long as all of them together.
    const removals: Removal[] = [
      (signal) => windows.forgetEnded(clock.now(), signal),
      (signal) => pipeline.idempotency.forgetOld(clock.now(), signal),
      (signal) => deploymentLogs.trim(clock.now(), signal),
      (signal) => builds.tidy(signal),
      (signal) => removeOldEvents(storage, clock.now() - config.eventDays * dayMilliseconds, signal),
      (signal) => trimChanges(storage, clock.now(), signal),
    ];
    const housekeeping = [
      repeat(flushSeconds, () => ledger.flush(), failed),
      repeat(flushSeconds, () => windows.flush(clock.now()), failed),
      repeat(60, async () => ledger.forgetIdle(), failed),
      repeat(30, () => authentication.saveLastUse(), failed),
      repeat(3600, () => forgetOldWriters(storage, clock.now()), failed),
      repeatFromNow(removalSeconds, inOrder(removals, failed), failed),
    ];

    const url = () => `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${listener.port}`;
    for (const name of config.unknownSettings) log.warn("unknown setting; is it a typing mistake?", { name });
    const serverUrl = writeServerUrl(config.dataDirectory, url());
    log.info("listening", { url: url(), storage: storage.engine, version });
    log.flush();

    return {
      url: url(),
      firstStart,
      async stop() {
        stopping = true;
        serverUrl.remove();
        followers.closeAll();
        await listener.stop();
        await builds.stop();
        await gateway.stop();
        await sandboxes.stop();
        for (const task of housekeeping) await task.stop();
        await ledger.flush();
        if (ledger.unwritten > 0) log.warn("what was used in the last moment is lost: storage does not take it");
        await windows.flush(clock.now()).catch(failed);
        await deploymentLogs.stop().catch(failed);
        await authentication.saveLastUse().catch(failed);
        await storage.close();
        log.info("stopped");
        log.flush();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
