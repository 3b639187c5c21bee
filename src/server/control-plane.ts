import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { openApiDocument } from "../api/openapi.ts";
import { Pipeline } from "../api/pipeline.ts";
import { Authentication } from "../areas/accounts/authentication.ts";
import { Consumers } from "../areas/consumers/consumers.ts";
import { builderProcess } from "../areas/deployments/build-process.ts";
import { BuildQueue } from "../areas/deployments/build-queue.ts";
import { LogFollowers } from "../areas/deployments/log-follower.ts";
import { Uploads } from "../areas/deployments/uploads.ts";
import { Keys } from "../areas/keys/keys.ts";
import { UsageEvents } from "../areas/metering/events.ts";
import { Quotas } from "../areas/metering/quotas.ts";
import { removeOldEvents } from "../areas/metering/retention.ts";
import { OwnOrigin } from "../areas/sessions/own-origin.ts";
import { Sessions } from "../areas/sessions/sessions.ts";
import { inspectArchive } from "../builder/archive.ts";
import type { Keyring } from "../lib/keyring.ts";
import { forgetOldWriters } from "../platform/storage/batch-writer.ts";
import { trimChanges } from "../platform/storage/changes.ts";
import { inOrder, type Removal } from "../platform/storage/removal.ts";
import type { DataPlane } from "./data-plane.ts";
import type { Foundation } from "./foundation.ts";
import type { OwnAddress } from "./own-address.ts";
import { areas, routes } from "./routes.ts";
import { type SystemRoute, systemRoutes } from "./system-routes.ts";

export const version = packageJson.version;

/** How often what is too old or too much is removed, all of it. */
const removalSeconds = 60;

const dayMilliseconds = 24 * 60 * 60 * 1000;

const builder = [process.execPath, join(import.meta.dir, "../builder/main.ts")];

export interface ControlPlaneOptions {
  keyring: Keyring;
  address: OwnAddress;
  /** How to start a builder: a program that reads an archive and writes a report. */
  builderCommand?: string[] | undefined;
}

/** What owns storage and decides: the management API and the builds. */
export interface ControlPlane {
  pipeline: Pipeline;
  system: Record<string, SystemRoute>;
  builds: BuildQueue;
  followers: LogFollowers;
}

export function openControlPlane(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  { buckets, verifier, deploymentLogs, windows, gateway }: DataPlane,
  { keyring, address, builderCommand = builder }: ControlPlaneOptions,
): ControlPlane {
  const authentication = new Authentication(storage, config.operatorToken);
  metrics.cache("tokens", () => authentication.credentials);
  lifecycle.onClose("token uses", () => authentication.saveLastUse());
  lifecycle.every(30, "token uses", () => authentication.saveLastUse());

  const sessions = new Sessions(storage, authentication, new OwnOrigin(config.publicUrl));
  metrics.cache("sessions", () => sessions.cache);
  lifecycle.onClose("session uses", () => sessions.saveLastUse());
  lifecycle.every(30, "session uses", () => sessions.saveLastUse());

  const keys = new Keys(keyring);
  const followers = new LogFollowers(storage);
  const builds = new BuildQueue({
    storage,
    clock,
    runBuilder: builderProcess(builderCommand, config.egress),
    starter: gateway,
    logs: deploymentLogs,
    log,
  });
  lifecycle.onClose("builds", () => builds.stop());

  const endpoints = routes({
    authentication,
    sessions,
    buckets,
    keys,
    verifier,
    consumers: new Consumers(keys, buckets),
    usageEvents: new UsageEvents(storage),
    quotas: new Quotas(storage),
    uploads: new Uploads(storage, inspectArchive, clock),
    starter: gateway,
    followers,
    clock,
    address,
  });
  const system = systemRoutes({
    storage,
    metrics,
    version,
    openApi: () => openApiDocument(endpoints, { version, url: config.publicUrl, areas }),
    isStopping: () => lifecycle.isClosing,
  });
  const pipeline = new Pipeline({
    endpoints,
    systemPaths: [...Object.keys(system), "/console"],
    authenticator: authentication,
    sessions,
    storage,
    keyring,
    clock,
    log,
    metrics,
  });

  // One after the other: several at once would hold up writers for as long as all of them together.
  const removals: Removal[] = [
    (signal) => windows.forgetEnded(clock.now(), signal),
    (signal) => pipeline.idempotency.forgetOld(clock.now(), signal),
    (signal) => deploymentLogs.trim(clock.now(), signal),
    (signal) => sessions.forgetEnded(clock.now(), signal),
    (signal) => builds.tidy(signal),
    (signal) => removeOldEvents(storage, clock.now() - config.eventDays * dayMilliseconds, signal),
    (signal) => trimChanges(storage, clock.now(), signal),
  ];
  const failed = (error: unknown) => log.warn("a removal failed and will be retried", { error });
  lifecycle.everyFromNow(removalSeconds, "removal", inOrder(removals, failed));
  lifecycle.every(3600, "batch writers", () => forgetOldWriters(storage, clock.now()));

  return { pipeline, system, builds, followers };
}
