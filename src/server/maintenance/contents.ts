import type { Config } from "../../config/config.ts";
import { contents } from "../../core/database/contents.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { openOfflineStorage } from "./offline-storage.ts";

/**
 * Counts the contents of an installation besides accounts and tokens, without starting a server. Creates the database
 * if there is none. On SQLite no server may be running.
 */
export async function contentsOf(config: Config, clock: Clock): Promise<string[]> {
  const storage = await openOfflineStorage(config, clock);
  try {
    return await contents(storage.reads);
  } finally {
    await storage.close();
  }
}
