/** `bun introduce.ts URL DIRECTORY`: introduces partitions of usage events, in a process that can be killed. */
import { unitOf } from "../../src/areas/metering/partitions/bounds.ts";
import { introducePartitions } from "../../src/areas/metering/partitions/introduction.ts";
import { migrations } from "../../src/core/database/migrations/index.ts";
import { openStorage } from "../../src/platform/storage/engines/open.ts";

const [databaseUrl, dataDirectory] = process.argv.slice(2) as [string, string];
const storage = await openStorage({
  dataDirectory,
  databaseUrl,
  databaseConnections: 3,
  migrations,
  staleSeconds: 300,
  now: Date.now,
  observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
  warn: () => {},
});
// The blow falls from here on.
process.stdout.write("open\n");
const options = { unit: unitOf(400), log: { info: () => {} }, settled: 0, rows: 50 };
await introducePartitions(storage, { ...options, now: Date.now() });
await storage.close();
