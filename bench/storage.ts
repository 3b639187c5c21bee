import { migrations } from "../src/core/database/migrations/index.ts";
import { openStorage } from "../src/platform/storage/engines/open.ts";
import type { Storage } from "../src/platform/storage/storage.ts";

interface StorageOptions {
  /** Otherwise SQLite. */
  databaseUrl?: string | undefined;
  now?: () => number;
}

/** The storage of a stopped server, or one without a server, with the settings of a server. */
export function openBenchStorage(
  dataDirectory: string,
  { databaseUrl, now = Date.now }: StorageOptions = {},
): Promise<Storage> {
  return openStorage({
    dataDirectory,
    databaseUrl,
    databaseConnections: 8,
    migrations,
    staleSeconds: 300,
    now,
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: (message) => process.stderr.write(`${message}\n`),
  });
}
