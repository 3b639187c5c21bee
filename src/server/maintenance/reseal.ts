import type { Config } from "../../config/config.ts";
import { openKeyring } from "../../core/database/encryption.ts";
import { type ResealProgress, type ResealResult, reseal } from "../../core/database/reseal.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { openOfflineStorage } from "./offline-storage.ts";

/** A single pass of a server, with a report of the results. */
export async function resealInBackground(
  storage: Storage,
  keyring: Keyring,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  const { resealed, lost, unneeded } = await reseal(storage, keyring, { ...(signal && { signal }) });
  if (resealed > 0) log.info("sealed values under the first encryption key", { resealed });
  if (lost > 0) log.warn("values are encrypted with a key that this server does not have", { lost });
  for (const name of unneeded)
    log.info(`encryption key ${name} is no longer needed and can be removed from TOLLGATE_ENCRYPTION_KEY`);
}

/** For the command line: repeats passes until nothing is left to reseal. On SQLite no server may be running. */
export async function resealDatabase(
  config: Config,
  { clock, onProgress }: { clock: Clock; onProgress(progress: ResealProgress): void },
): Promise<Pick<ResealResult, "resealed" | "lost" | "unneeded"> & { firstKey: string }> {
  const storage = await openOfflineStorage(config, clock);
  try {
    const { dataDirectory, encryptionKeys: configured } = config;
    const keyring = await openKeyring(storage, { configured, dataDirectory, now: clock.now() });
    let resealed = 0;
    for (;;) {
      const result = await reseal(storage, keyring, { onProgress });
      resealed += result.resealed;
      if (result.resealed === 0) return { ...result, resealed, firstKey: keyring.currentName };
    }
  } finally {
    await storage.close();
  }
}
