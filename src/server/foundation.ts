import type { Config } from "../config/config.ts";
import { migrations } from "../core/database/migrations/index.ts";
import { Metrics } from "../core/metrics/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { openStorage } from "../platform/storage/open.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** Shared by both planes. */
export interface Foundation {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  storage: Storage;
  lifecycle: Lifecycle;
}

export async function openFoundation(
  config: Config,
  { clock, log, lifecycle }: { clock: Clock; log: Log; lifecycle: Lifecycle },
): Promise<Foundation> {
  const metrics = new Metrics();
  const storage = await openStorage({
    dataDirectory: config.dataDirectory,
    databaseUrl: config.databaseUrl,
    migrations,
    staleSeconds: config.staleSeconds,
    now: () => clock.now(),
    observer: metrics.storage,
    warn: (message, error) => log.warn(message, error === undefined ? {} : { error }),
  });
  lifecycle.onClose("storage", () => storage.close());
  return { config, clock, log, metrics, storage, lifecycle };
}
