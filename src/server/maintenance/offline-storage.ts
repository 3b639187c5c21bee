import type { Config } from "../../config/config.ts";
import { migrations } from "../../core/database/migrations/index.ts";
import { Metrics } from "../../core/metrics/metrics.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { openStorage } from "../../platform/storage/engines/open.ts";
import type { Storage } from "../../platform/storage/storage.ts";

/**
 * Opens the storage of a configuration for a command that runs instead of a server. On SQLite no server may be running.
 */
export function openOfflineStorage(config: Config, clock: Clock): Promise<Storage> {
  return openStorage({
    dataDirectory: config.dataDirectory,
    databaseUrl: config.databaseUrl,
    databaseFeedUrl: config.databaseFeedUrl,
    databaseConnections: config.databaseConnections,
    databasePatience: config.databasePatience,
    migrations,
    staleSeconds: config.staleSeconds,
    now: () => clock.now(),
    observer: new Metrics().storage,
    warn: () => {},
  });
}
