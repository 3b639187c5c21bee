import { Client, type ClientBase } from "pg";
import { PostgresHosts } from "../postgres-hosts.ts";
import { applicationName, keepAlive, type PostgresTimeouts, postgresTimeouts } from "../postgres-options.ts";

/** `server_version_num` of the oldest supported release. */
const minVersion = 140_000;

/** Databases that speak PostgreSQL's protocol, by what their `version()` contains. */
const lookAlikes: { pattern: RegExp; name: string; reason?: string }[] = [
  { pattern: /cockroach/i, name: "CockroachDB", reason: "Its advisory locks always succeed." },
  { pattern: /-YB-|yugabyte/i, name: "YugabyteDB", reason: "Its nodes do not share notifications and snapshots." },
  { pattern: /redshift/i, name: "Amazon Redshift" },
  { pattern: /greenplum/i, name: "Greenplum" },
  { pattern: /materialize/i, name: "Materialize" },
  { pattern: /risingwave/i, name: "RisingWave" },
  { pattern: /questdb/i, name: "QuestDB" },
  { pattern: /cratedb/i, name: "CrateDB" },
  { pattern: /opengauss|gaussdb/i, name: "openGauss" },
  { pattern: /pglite/i, name: "PGlite", reason: "It has one connection." },
];
const requirement =
  "Tollgate relies on PostgreSQL's advisory locks, notifications and transaction snapshots; use PostgreSQL itself (14 or later).";

/**
 * Returns a connection for migrations, after checking that the database is a supported PostgreSQL and that each
 * connection to it is a session of its own. The caller closes the connection.
 */
export async function connectChecked(
  { url, feedUrl }: { url: string; feedUrl: string | undefined },
  timeouts = postgresTimeouts(),
): Promise<Client> {
  const [direct, setting] = feedUrl ? [feedUrl, "TOLLGATE_DATABASE_FEED_URL"] : [url, "DATABASE_URL"];
  const hosts = new PostgresHosts(direct);
  const client = await connect(hosts, setting, timeouts);
  try {
    await rejectLookAlikes(client);
    const other = await connect(hosts, setting, timeouts);
    await closing(other, async () => {
      await rejectSharedConnections(client, other, setting);
      await rejectOtherBehavior(client, other, timeouts);
    });
    if (feedUrl) {
      const pooled = await connect(new PostgresHosts(url), "DATABASE_URL", timeouts);
      await closing(pooled, () => rejectOtherDatabase(client, pooled));
    }
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Returns a connection to PostgreSQL itself, not through a pooler. The caller closes it. */
export function connectDirectly(
  { url, feedUrl }: { url: string; feedUrl: string | undefined },
  timeouts: PostgresTimeouts,
): Promise<Client> {
  const setting = feedUrl ? "TOLLGATE_DATABASE_FEED_URL" : "DATABASE_URL";
  return connect(new PostgresHosts(feedUrl ?? url), setting, timeouts);
}

async function connect(
  hosts: PostgresHosts,
  setting: string,
  { start, connection }: PostgresTimeouts,
): Promise<Client> {
  const open = async (url: string) => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: hosts.areSeveral ? connection : start,
      ...keepAlive,
      application_name: applicationName,
    });
    // A connection that breaks fails its query. Without a listener, the error event would end the process too.
    client.on("error", () => {});
    await client.connect();
    if (hosts.areSeveral && (await isStandby(client))) {
      await client.end();
      throw new Error(`${new URL(url).host} is a read-only standby`);
    }
    return client;
  };
  return hosts.connect(open).catch((error: Error) => {
    throw new Error(`PostgreSQL at ${hosts.place} cannot be used: ${error.message}. Check ${setting}.`, {
      cause: error,
    });
  });
}

/** Finds the primary of several hosts for a pool that has no connection yet. */
export async function choosePrimary(hosts: PostgresHosts, timeouts: PostgresTimeouts): Promise<void> {
  if (hosts.areSeveral) await (await connect(hosts, "DATABASE_URL", timeouts)).end();
}

export async function isStandby(client: ClientBase): Promise<boolean> {
  return (await client.query<{ is: boolean }>("SELECT pg_is_in_recovery() AS is")).rows[0]!.is;
}

async function closing(client: Client, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await client.end();
  }
}

/** Throws if the database only resembles PostgreSQL, or is a PostgreSQL older than supported. */
async function rejectLookAlikes(client: Client): Promise<void> {
  const [row] = (await client.query<{ version: string }>("SELECT version() AS version")).rows;
  const version = row?.version ?? "";
  const found = lookAlikes.find(({ pattern }) => pattern.test(version));
  if (found) throw new Error([`The database is ${found.name}, not PostgreSQL.`, found.reason, requirement].join(" "));
  if (!version.startsWith("PostgreSQL "))
    throw new Error(`The database is ${JSON.stringify(version.slice(0, 100))}, not PostgreSQL. ${requirement}`);
  const sql = "SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS text";
  const { number, text } = (await client.query<{ number: string; text: string }>(sql)).rows[0]!;
  if (Number(number) < minVersion)
    throw new Error(`The database is PostgreSQL ${text}. Tollgate needs PostgreSQL 14 or later.`);
}

/**
 * Throws if a pooler gives each transaction another connection: notifications and settings of the session would be
 * lost. While another client is in a transaction, this one then gets another backend.
 */
async function rejectSharedConnections(client: Client, other: Client, setting: string): Promise<void> {
  const backend = async () => (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]!.pid;
  const before = await backend();
  await other.query("BEGIN");
  try {
    await other.query("SELECT pg_backend_pid()");
    if ((await backend()) !== before)
      throw new Error(
        `${setting} leads to a pooler that shares connections between transactions, such as PgBouncer in transaction mode. ` +
          "Set TOLLGATE_DATABASE_FEED_URL to the address of PostgreSQL itself, for the change feed and migrations.",
      );
  } finally {
    await other.query("ROLLBACK");
  }
}

/**
 * Throws if the database does not behave like PostgreSQL, whatever its name: a lock must exclude other sessions, a
 * snapshot must not contain a transaction in progress, and a notification must arrive.
 */
async function rejectOtherBehavior(client: Client, other: Client, timeouts: PostgresTimeouts): Promise<void> {
  try {
    if (await isStandby(client))
      throw new Error("The database is a read-only standby. Use the address of the primary.");
    const lock = randomLock();
    await client.query("BEGIN");
    const mine = "SELECT pg_advisory_xact_lock($1)::text, pg_current_xact_id()::text AS xid";
    const { xid } = (await client.query<{ xid: string }>(mine, [lock])).rows[0]!;
    const theirs = `SELECT pg_try_advisory_xact_lock($1) AS locked,
      pg_visible_in_snapshot($2::xid8, pg_current_snapshot()) AS visible`;
    const { locked, visible } = (await other.query<{ locked: boolean; visible: boolean }>(theirs, [lock, xid]))
      .rows[0]!;
    await client.query("COMMIT");
    if (locked) throw new Misbehavior("two sessions held the same advisory lock");
    if (visible) throw new Misbehavior("a snapshot contained a transaction in progress");
    if (!(await isNotified(client, other, timeouts))) throw new Misbehavior("a notification did not arrive");
  } catch (error) {
    if (error instanceof Misbehavior || isUnsupported(error))
      throw new Error(`The database does not behave like PostgreSQL: ${(error as Error).message}. ${requirement}`);
    throw error;
  }
}

class Misbehavior extends Error {}

/** Whether a statement failed because the database lacks a feature or a function. */
function isUnsupported(error: unknown): boolean {
  return /^(0A|42)/.test(String((error as { code?: unknown }).code));
}

async function isNotified(client: Client, other: Client, { notification }: PostgresTimeouts): Promise<boolean> {
  const channel = `tollgate_start_${randomLock()}`;
  await client.query(`LISTEN ${channel}`);
  const arrived = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), notification);
    client.once("notification", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  await other.query("SELECT pg_notify($1, '')", [channel]);
  const result = await arrived;
  await client.query(`UNLISTEN ${channel}`);
  return result;
}

/** Advisory locks belong to a database: one that a session holds is free only in another database. */
async function rejectOtherDatabase(client: Client, pooled: Client): Promise<void> {
  const lock = randomLock();
  await client.query("BEGIN");
  await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
  const sql = "SELECT pg_try_advisory_xact_lock($1) AS locked";
  const { locked } = (await pooled.query<{ locked: boolean }>(sql, [lock])).rows[0]!;
  await client.query("COMMIT");
  if (locked)
    throw new Error(
      "DATABASE_URL and TOLLGATE_DATABASE_FEED_URL lead to different databases. Both must be the same one.",
    );
}

function randomLock(): number {
  return Math.floor(Math.random() * 2 ** 48);
}
