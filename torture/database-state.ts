import { Database as SqliteFile } from "bun:sqlite";
import { SQL } from "bun";
import type { Database } from "../test/support/engines.ts";

/**
 * What a refusal may write: the answer itself, under its Idempotency-Key; a line in a log; and when a token was last used,
 * which every request of its holder writes sooner or later.
 */
const notCompared = ["idempotency_keys", "deployment_logs", "deployment_log_sizes", "migrations"];
const notComparedColumn = "last_used_on";

/** Sees past the server whether anything in its database has changed. */
export interface DatabaseState {
  /** Costs microseconds. The same twice: nothing was written in between. */
  mark(): Promise<string>;
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
  // The feed only grows; all of it would cost more with every request.
  const queryOf = (table: string) => (table === "changes" ? "SELECT max(seq) FROM changes" : `SELECT * FROM ${table}`);
  const contents = tables.map((table) => file.query<Record<string, unknown>, []>(queryOf(table)));
  const version = file.query("PRAGMA data_version");
  return {
    mark: async () => JSON.stringify(version.get()),
    async digest() {
      const rows = contents.map((query) => query.all().map(({ [notComparedColumn]: _, ...row }) => row));
      return tables.map((table, index) => `${table} ${Bun.hash(JSON.stringify(rows[index]))}`).join("\n");
    },
    async close() {
      file.close();
    },
  };
}

async function stateOfPostgres(url: string): Promise<DatabaseState> {
  const connection = new SQL(url, { max: 1 });
  const found: { name: string }[] = await connection.unsafe(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  const tables = found.map(({ name }) => name).filter(isCompared);
  const contentOf = (table: string) =>
    table === "changes"
      ? "(SELECT coalesce(max(seq), 0)::text FROM changes)"
      : `(SELECT count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t) - '${notComparedColumn}')::text, 0)), 0)
          FROM ${table} t)`;
  const query = `SELECT ${tables.map((table) => `'${table} ' || ${contentOf(table)}`).join(" || E'\\n' || ")} AS content`;
  return {
    mark: async () => JSON.stringify(await connection.unsafe("SELECT pg_current_wal_insert_lsn()::text AS lsn")),
    digest: async () => (await connection.unsafe(query))[0].content,
    close: () => connection.close(),
  };
}

function isCompared(table: string): boolean {
  return !notCompared.includes(table) && !table.startsWith("sqlite_");
}

/** Tells what has changed from one look to the next. */
export class ChangeDetector {
  #mark = "";
  #lines = new Set<string>();

  constructor(private readonly state: DatabaseState) {}

  /** The tables that have changed since the last look. */
  async look(): Promise<string[]> {
    const mark = await this.state.mark();
    if (mark === this.#mark) return [];
    const lines = (await this.state.digest()).split("\n");
    const changed = lines.filter((line) => !this.#lines.has(line)).map((line) => line.split(" ")[0]!);
    this.#mark = mark;
    this.#lines = new Set(lines);
    return changed;
  }
}
