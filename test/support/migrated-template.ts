import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob, SQL } from "bun";
import { startPartitions } from "../../src/areas/commerce/metering/partitions/partitions.ts";
import { migrations } from "../../src/core/database/migrations/index.ts";
import { openStorage } from "../../src/platform/storage/engines/open.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/*
 * A database with all migrations, to copy. Migrating an empty database takes PostgreSQL five times as long as the rest
 * of a start, and hundreds of servers are started. Tests of a first start and of migrations begin with an empty one.
 */

const databaseFile = "tollgate.db";

let sqliteTemplate: Promise<Buffer> | undefined;
let postgresTemplate: Promise<string> | undefined;

export async function writeSqliteTemplate(folder: string): Promise<void> {
  sqliteTemplate ??= makeSqliteTemplate();
  await writeFile(join(folder, databaseFile), await sqliteTemplate, { mode: 0o600 });
}

/** The name of the template. No connection to it may be open while it is copied. */
export function postgresTemplateOf(maintenanceUrl: string): Promise<string> {
  postgresTemplate ??= makePostgresTemplate(maintenanceUrl);
  return postgresTemplate;
}

async function makeSqliteTemplate(): Promise<Buffer> {
  const folder = await temporaryFolder("template");
  await migrate(folder.path, undefined);
  const bytes = await readFile(join(folder.path, databaseFile));
  await folder.remove();
  return bytes;
}

/** Shared by all processes of a run. It is kept for the next run on the same PostgreSQL. */
async function makePostgresTemplate(maintenanceUrl: string): Promise<string> {
  const name = `tollgate_template_${await schemaVersion()}`;
  const connection = new SQL(maintenanceUrl, { max: 1 });
  try {
    await connection.unsafe(`SELECT pg_advisory_lock(hashtext('${name}'))`);
    const found = await connection.unsafe(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
    if (found.length === 0) {
      const unfinished = `${name}_unfinished`;
      await connection.unsafe(`DROP DATABASE IF EXISTS ${unfinished}`);
      await connection.unsafe(`CREATE DATABASE ${unfinished}`);
      const folder = await temporaryFolder("template");
      await migrate(folder.path, urlOf(maintenanceUrl, unfinished));
      await folder.remove();
      await connection.unsafe(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    }
    return name;
  } finally {
    // Closing the connection releases the lock.
    await connection.close();
  }
}

async function migrate(dataDirectory: string, databaseUrl: string | undefined): Promise<void> {
  const storage = await openStorage({
    dataDirectory,
    databaseUrl,
    migrations,
    databaseConnections: 8,
    staleSeconds: 300,
    now: () => Date.now(),
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: () => {},
  });
  await startPartitions(storage, { now: Date.now(), retentionDays: 400, log: { info: () => {} } });
  await storage.close();
}

export function urlOf(maintenanceUrl: string, database: string): string {
  const url = new URL(maintenanceUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Changes with every file that determines the result of migrations. */
async function schemaVersion(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const sources = join(import.meta.dir, "../../src");
  for (const folder of ["core/database", "platform/storage", "areas/commerce/metering/partitions"]) {
    const files = [...new Glob("**/*.{ts,sql}").scanSync(join(sources, folder))].sort();
    for (const file of files) hash.update(file).update(await Bun.file(join(sources, folder, file)).text());
  }
  return hash.digest("hex").slice(0, 16);
}
