import packageJson from "../../../package.json" with { type: "json" };
import type { Config } from "../../config/config.ts";
import { migrations } from "../../core/database/migrations/index.ts";
import { Metrics } from "../../core/metrics/metrics.ts";
import { type Clock, SharedClock } from "../../lib/time/clock.ts";
import { openReplica, openStorage } from "../../platform/storage/engines/open.ts";
import { type History, primaryHistory } from "../../platform/storage/history.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { type TraceOptions, Tracer } from "../../platform/telemetry/tracer.ts";
import type { Lifecycle } from "./lifecycle.ts";

const exportSeconds = 2;
const replicaCheckSeconds = 1;
const maxOffsetMilliseconds = 1000;

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
    observer: tracer ? tracer.observing(metrics.storage) : metrics.storage,
    warn: (message, error) => log.warn(message, error === undefined ? {} : { error }),
  });
  lifecycle.onClose("storage", () => opened.close());
  if (opened.isShared) metrics.watchHistory(() => opened.feed.historyChanges);
  if (opened.isShared && clock instanceof SharedClock) metrics.watchClock(() => clock.offset);
  const storage = follow ? follow(opened) : opened;
  const history = await openHistory(config, storage, { log, metrics, lifecycle });
  return { config, clock, log, metrics, storage, history, tracer, lifecycle };
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
