import type { Config } from "../config/config.ts";
import { contents } from "../core/database/contents.ts";
import { migrations } from "../core/database/migrations/index.ts";
import { Metrics } from "../core/metrics/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { openStorage } from "../platform/storage/open.ts";

/**
 * What the installation of a configuration holds besides accounts and tokens, without starting a server on it. Makes the database
 * if there is none. On SQLite no server may run.
 */
export async function contentsOf(config: Config, clock: Clock): Promise<string[]> {
  const storage = await openStorage({
    dataDirectory: config.dataDirectory,
    databaseUrl: config.databaseUrl,
    migrations,
    staleSeconds: config.staleSeconds,
    now: () => clock.now(),
    observer: new Metrics().storage,
    warn: () => {},
  });
  try {
    return await contents(storage.reads);
  } finally {
    await storage.close();
  }
}
