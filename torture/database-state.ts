import { Database as SqliteFile } from "bun:sqlite";
import { SQL } from "bun";
import type { Database } from "../test/support/engines.ts";

/**
 * Tables that a rejection may write: the response itself, with its Idempotency-Key; a log line; and the last use of a
 * token. The server's background work may write at any time: webhook deliveries, timed events, sealing the audit log,
 * counting requests and verifications, removing old hours of usage, lookups of domains, attempts of exports.
 */
const notCompared = [
  "idempotency_keys",
  "deployment_logs",
  "deployment_log_sizes",
  "migrations",
  "requests",
  "request_sizes",
  "omitted_requests",
  "traffic",
  "traffic_deployments",
  "canary_counts",
  "verifications",
  "model_usage",
  "written_batches",
  "audit_segments",
  "audit_topics",
  "audit_chains",
  "webhook_messages",
  "webhook_deliveries",
  "webhook_attempts",
  "webhook_timers",
  "webhook_removals",
  "feed_cursors",
  "usage_hours",
];
const notComparedColumns = [
  "last_used_on",
  "renews_on",
  "is_unchecked",
  "announced_percent",
  "announced_max",
  "failing_since",
  "next_due_on",
  "next_check_on",
  "checked_on",
  "checks",
  "finding",
  "last_error",
  "failures",
  "attempt_on",
  "lease",
  "leased_until",
];

/** The feed only grows; reading all of it would cost more with every request. Exports fail in the background. */
const lastChange = "SELECT coalesce(max(seq), 0) FROM changes WHERE kind <> 'export.failed'";

/** They belong to a deleted account, which cannot be addressed. */
const removed = `SELECT 1 AS found FROM key_buckets WHERE account_seq = 0
  UNION ALL SELECT 1 FROM metering_buckets WHERE account_seq = 0
  UNION ALL SELECT 1 FROM deployments WHERE account_seq = 0
  UNION ALL SELECT 1 FROM webhooks WHERE account_seq = 0 LIMIT 1`;

const working = `SELECT 1 AS found FROM deployment_builds WHERE state IN ('queued', 'running')
  UNION ALL SELECT 1 FROM jobs WHERE state IN ('queued', 'running') LIMIT 1`;

/** Detects changes of the database without the server. */
export interface DatabaseState {
  /**
   * Costs microseconds. The same mark twice: nothing was written in between. `isRemoving`: deleted buckets, deployments and
   * webhooks are still being removed, which goes on behind the response to their deletion; looked up before the mark, so that a
   * removal that ends in between is in the next one.
   */
  glance(): Promise<{ mark: string; isRemoving: boolean }>;
  /** Whether a build or a job is queued or running, which goes on changing the database. */
  isWorking(): Promise<boolean>;
  /** What is stored. Costs milliseconds. */
  digest(): Promise<string>;
  close(): Promise<void>;
}

export async function openDatabaseState({ environment }: Database): Promise<DatabaseState> {
  return environment.DATABASE_URL === undefined
    ? stateOfSqlite(`${environment.TOLLGATE_DATA_DIR}/tollgate.db`)
    : stateOfPostgres(environment.DATABASE_URL);
}

function stateOfSqlite(path: string): DatabaseState {
  const file = new SqliteFile(path, { readonly: true });
  const tables = file
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)
    .filter(isCompared);
  const columnsOf = (table: string) =>
    file
      .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
      .all()
      .filter(({ name }) => !notComparedColumns.includes(name))
      .map(({ name }) => `"${name}"`)
      .join(", ");
  const queryOf = (table: string) => (table === "changes" ? lastChange : `SELECT ${columnsOf(table)} FROM ${table}`);
  const contents = tables.map((table) => file.query(queryOf(table)));
  const version = file.query("PRAGMA data_version");
  const removing = file.query(removed);
  return {
    async glance() {
      const isRemoving = removing.get() !== null;
      return { mark: JSON.stringify(version.get()), isRemoving };
    },
    isWorking: async () => file.query(working).get() !== null,
    async digest() {
      const rows = contents.map((query) => Bun.hash(JSON.stringify(query.values().map(withHashes))));
      return tables.map((table, index) => `${table} ${rows[index]}`).join("\n");
    },
    async close() {
      file.close();
    },
  };
}

/** The row with hashes instead of bytes, which JSON would write as an object with a member for each byte. */
function withHashes(row: unknown[]): unknown[] {
  return row.map((value) => (value instanceof Uint8Array ? `${Bun.hash(value)}` : value));
}

async function stateOfPostgres(url: string): Promise<DatabaseState> {
  const connection = new SQL(url, { max: 1 });
  const found: { name: string; columns: string }[] = await connection.unsafe(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_schema = 'public' AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::text::regclass) AND NOT column_name = ANY(ARRAY['${notComparedColumns.join("', '")}'])
      GROUP BY table_name ORDER BY table_name`,
  );
  const contentOf = (table: string, columns: string) =>
    table === "changes"
      ? `SELECT (${lastChange})::text`
      : `SELECT count(*) || ' ' || coalesce(sum(hash_record_extended(ROW(${columns}), 0)), 0) FROM ${table}`;
  const contents = found
    .filter(({ name }) => isCompared(name))
    .map(({ name, columns }) => `'${name} ' || (${contentOf(name, columns)})`);
  // Prepared: planning these takes longer than executing them.
  await connection.unsafe(`PREPARE digest AS SELECT ${contents.join(" || E'\\n' || ")} AS content`);
  await connection.unsafe(
    `PREPARE glance AS SELECT pg_current_wal_insert_lsn()::text AS mark, EXISTS (${removed}) AS "isRemoving"`,
  );
  return {
    glance: async () => (await connection.unsafe("EXECUTE glance"))[0],
    isWorking: async () => (await connection.unsafe(working)).length > 0,
    digest: async () => (await connection.unsafe("EXECUTE digest"))[0].content,
    close: () => connection.close(),
  };
}

function isCompared(table: string): boolean {
  return !notCompared.includes(table) && !table.startsWith("sqlite_");
}

/** Finds the changes between two calls. */
export class ChangeDetector {
  #mark = "";
  #lines = new Set<string>();
  #isRemoving = false;

  constructor(private readonly state: DatabaseState) {}

  /** The tables that have changed since the last call. */
  async look(): Promise<string[]> {
    // The removal after a deletion is not caused by later requests.
    const wasRemoving = this.#isRemoving;
    const { mark, isRemoving } = await this.state.glance();
    this.#isRemoving = isRemoving;
    if (mark === this.#mark) return [];
    const lines = (await this.state.digest()).split("\n");
    const changed = lines.filter((line) => !this.#lines.has(line)).map((line) => line.split(" ")[0]!);
    this.#mark = mark;
    this.#lines = new Set(lines);
    return wasRemoving || this.#isRemoving ? [] : changed;
  }
}
