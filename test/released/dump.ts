import { Database as SqliteFile } from "bun:sqlite";
import { SQL } from "bun";
import { migrations } from "../../src/core/database/migrations/index.ts";
import { postgresSql } from "../../src/platform/storage/migrations/migration.ts";
import type { Database } from "../support/engines.ts";

/** SQL that recreates the database in an empty one. */
export function dump({ environment }: Database): Promise<string> | string {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = environment;
  return DATABASE_URL === undefined ? dumpSqlite(`${TOLLGATE_DATA_DIR}/tollgate.db`) : dumpPostgres(DATABASE_URL);
}

/** Runs the SQL of `dump` in an empty database. */
export async function load({ environment }: Database, sql: string): Promise<void> {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = environment;
  if (DATABASE_URL === undefined) {
    using file = new SqliteFile(`${TOLLGATE_DATA_DIR}/tollgate.db`, { create: true });
    file.run(sql);
    return;
  }
  await using connection = new SQL(DATABASE_URL, { max: 1 });
  await connection.unsafe(sql).simple();
}

function dumpSqlite(path: string): string {
  using file = new SqliteFile(path, { readonly: true });
  const objects = file
    .query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all();
  const tables = [...objects.filter(({ type }) => type === "table").map(({ name }) => name), "sqlite_sequence"];
  const lines = ["PRAGMA foreign_keys = OFF", "BEGIN", ...objects.map(({ sql }) => sql)];
  for (const table of tables)
    for (const row of file.query<Record<string, unknown>, []>(`SELECT * FROM ${table}`).all())
      lines.push(insert(table, row, sqliteLiteral));
  return `${[...lines, "COMMIT"].join(";\n")};\n`;
}

async function dumpPostgres(url: string): Promise<string> {
  await using connection = new SQL(url, { max: 1 });
  const statements = migrations.map(postgresSql);
  statements.unshift("CREATE TABLE migrations (name text PRIMARY KEY, applied_on bigint NOT NULL)");
  const tables = [...statements.join("\n").matchAll(/^CREATE TABLE (\w+)/gim)].map(([, name]) => name!);
  // The events are dumped as a plain table, whose keys are written again, as after a move.
  const derived = new Set(["usage_event_keys", "usage_event_storage"]);
  const rows: string[] = [];
  for (const table of tables.filter((name) => !derived.has(name))) {
    const columns: { name: string }[] = await connection.unsafe(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${table}' ORDER BY ordinal_position`,
    );
    // Transaction ids are only valid in the cluster that assigned them.
    const kept = columns.map(({ name }) => name).filter((name) => name !== "xid");
    for (const row of await connection.unsafe(
      `SELECT ${kept.map((name) => `"${name}"::text`).join(", ")} FROM ${table}`,
    ))
      rows.push(insert(table, row, postgresLiteral));
  }
  const sequences: { name: string; last: string }[] = await connection.unsafe(
    "SELECT sequencename AS name, last_value::text AS last FROM pg_sequences WHERE last_value IS NOT NULL ORDER BY 1",
  );
  const plain = (name: string) => (name === "usage_event_numbers" ? "usage_events_seq_seq" : name);
  const set = sequences.map(({ name, last }) => `SELECT setval('${plain(name)}', ${last})`);
  return `${["BEGIN", ...statements.map((text) => text.trim()), ...rows, ...set, "COMMIT"].join(";\n")};\n`;
}

function insert(table: string, row: Record<string, unknown>, literal: (value: unknown) => string): string {
  const names = Object.keys(row).map((name) => `"${name}"`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`;
}

function sqliteLiteral(value: unknown): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return typeof value === "string" ? quoted(value) : String(value);
}

function postgresLiteral(value: unknown): string {
  return value === null ? "NULL" : quoted(String(value));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
