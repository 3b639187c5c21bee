import packageJson from "../../../package.json" with { type: "json" };
import type { Config } from "../../config/config.ts";
import { readKeyring } from "../../core/database/encryption.ts";
import { migrations } from "../../core/database/migrations/index.ts";
import { Metrics } from "../../core/metrics/metrics.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Lifecycle } from "../../lib/tasks/lifecycle.ts";
import { type Clock, SharedClock } from "../../lib/time/clock.ts";
import { CopyFile } from "../../platform/storage/copy/copy-file.ts";
import { StorageCopy } from "../../platform/storage/copy/storage-copy.ts";
import { openReplica, openStorage } from "../../platform/storage/engines/open.ts";
import { type History, primaryHistory } from "../../platform/storage/history.ts";
import type { OpenCopy } from "../../platform/storage/postgres-options.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { type TraceOptions, Tracer } from "../../platform/telemetry/tracer.ts";
import { copyServedRows, revokedBy } from "./copied-rows.ts";

const exportSeconds = 2;
const replicaCheckSeconds = 1;
const maxOffsetMilliseconds = 1000;
const copySeconds = 10;

/** Shared by both planes. */
export interface Foundation {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  storage: Storage;
  history: History;
  /** Exports traces. Undefined unless a collector is configured. */
  tracer: Tracer | undefined;
  lifecycle: Lifecycle;
  /** Set what a start on a copy of storage does once storage is available. */
  available: { work(): Promise<void> };
}

interface FoundationOptions extends Pick<Foundation, "clock" | "log" | "lifecycle"> {
  /** A PostgreSQL option, see PostgresOptions. */
  transactionMilliseconds?: number | undefined;
  /** Returns storage whose changes the workers of this process follow. */
  follow?: (storage: Storage) => Storage;
}

export async function openFoundation(
  config: Config,
  { clock, log, lifecycle, transactionMilliseconds, follow }: FoundationOptions,
): Promise<Foundation> {
  const metrics = new Metrics();
  const tracer = config.traces && openTracer(config.traces, log, lifecycle);
  const available = { work: async () => {} };
  const opened = await openStorage({
    dataDirectory: config.dataDirectory,
    databaseUrl: config.databaseUrl,
    databaseFeedUrl: config.databaseFeedUrl,
    databaseConnections: config.databaseConnections,
    databasePatience: config.databasePatience,
    migrations,
    staleSeconds: config.staleSeconds,
    now: () => clock.now(),
    ...(clock instanceof SharedClock && { observeTime: observeTime(clock, log) }),
    ...(transactionMilliseconds !== undefined && { transactionMilliseconds }),
    copied: {
      open: () => openCopy(config),
      isStarting: () => lifecycle.phase === "starting",
      available: () => available.work(),
    },
    observer: tracer ? tracer.observing(metrics.storage) : metrics.storage,
    warn: (message, error) => log.warn(message, error === undefined ? {} : { error }),
  });
  lifecycle.onClose("storage", () => opened.close());
  if (opened.isShared) metrics.watchHistory(() => opened.feed.historyChanges);
  if (opened.isShared && clock instanceof SharedClock) metrics.watchClock(() => clock.offset);
  const storage = follow ? follow(opened) : opened;
  const history = await openHistory(config, storage, { log, metrics, lifecycle });
  return { config, clock, log, metrics, storage, history, tracer, lifecycle, available };
}

/** Returns the copy of storage on the disk of this node. */
export function openCopy(config: Config): OpenCopy | undefined {
  const keyring = keyringOf(config);
  return keyring && new CopyFile(config.copyDirectory, keyring).open(migrations);
}

/** Undefined before the first start. */
function keyringOf({ encryptionKeys: configured, dataDirectory }: Config): Keyring | undefined {
  try {
    return readKeyring({ configured, dataDirectory });
  } catch {
    return undefined;
  }
}

/** Keeps a copy of what this node needs to start while PostgreSQL is unavailable. */
export function keepCopy({ config, storage, clock, metrics, lifecycle }: Foundation, keyring: Keyring): void {
  if (!storage.isShared || config.staleSeconds === 0) return;
  const copy = new StorageCopy({
    file: new CopyFile(config.copyDirectory, keyring),
    storage,
    copy: (rows) => copyServedRows(rows, clock.now()),
    revoked: revokedBy,
    now: () => clock.now(),
  });
  metrics.watchCopy(() => (copy.time === undefined ? storage.feed.copyAge : clock.now() - copy.time));
  lifecycle.onClose("copy of storage", () => copy.make({ isLast: true }));
  lifecycle.every(copySeconds, "copy of storage", () => copy.make());
}

/** Nodes share the time of PostgreSQL: leases, windows of rate limits and expiry must not depend on the node. */
function observeTime(clock: SharedClock, log: Log) {
  let hasWarned = false;
  return (time: number, elapsedMilliseconds: number) => {
    clock.observe(time, elapsedMilliseconds);
    const isOff = Math.abs(clock.offset) >= maxOffsetMilliseconds;
    if (isOff && !hasWarned)
      log.warn("the clock of this node differs from that of PostgreSQL, which is used", {
        milliseconds: -clock.offset,
      });
    hasWarned = isOff;
  };
}

/** Reads of what may be some seconds old, from the replica if one is configured. */
async function openHistory(
  { databaseUrl, databaseReplicaUrl }: Config,
  { reads }: Storage,
  { log, metrics, lifecycle }: Pick<Foundation, "log" | "metrics" | "lifecycle">,
): Promise<History> {
  const replica = await openReplica({
    databaseUrl,
    databaseReplicaUrl,
    primary: reads,
    observer: metrics.storage,
    warn: (message) => log.warn(message),
  });
  if (!replica) return primaryHistory(reads);
  lifecycle.onClose("replica", () => replica.close());
  lifecycle.everyFromNow(replicaCheckSeconds, "check of the replica", () => replica.check());
  metrics.watchReplica(() => replica.status());
  return replica;
}

/** Closed last, because the others may still end spans. */
export function openTracer(options: TraceOptions, log: Log, lifecycle: Lifecycle): Tracer {
  const tracer = new Tracer({
    ...options,
    version: packageJson.version,
    warn: (message, fields) => log.warn(message, { ...fields }),
  });
  lifecycle.onClose("spans", () => tracer.flush());
  lifecycle.every(exportSeconds, "spans", () => tracer.flush());
  return tracer;
}
