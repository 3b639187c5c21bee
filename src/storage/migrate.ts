import type { Database } from "bun:sqlite";
import type { PoolClient } from "pg";
import { migrations, postgresSpelling, sqliteSpelling } from "./migrations/index.ts";

const createTable = "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_on bigint NOT NULL)";

/** Any number, the same on every node: whoever migrates holds this lock. */
const migrationLock = 7_011_657_420;

export function migrateSqlite(database: Database, now: number): void {
  database
    .transaction(() => {
      database.run(createTable);
      const applied = database.query<{ name: string }, []>("SELECT name FROM migrations").all();
      for (const migration of pending(applied)) {
        for (const statement of migration.statements(sqliteSpelling)) database.run(statement);
        database.run("INSERT INTO migrations (name, applied_on) VALUES (?, ?)", [migration.name, now]);
      }
    })
    .immediate();
}

/** Safe when many nodes start at once on an empty database: one migrates, the others wait and find it done. */
export async function migratePostgres(client: PoolClient, now: number): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await client.query(createTable);
    const applied = await client.query<{ name: string }>("SELECT name FROM migrations");
    for (const migration of pending(applied.rows)) {
      for (const statement of migration.statements(postgresSpelling)) await client.query(statement);
      await client.query("INSERT INTO migrations (name, applied_on) VALUES ($1, $2)", [migration.name, now]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

function pending(applied: { name: string }[]) {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = applied.find((row) => !known.has(row.name));
  if (unknown)
    throw new Error(`The database was written by a newer Tollgate (it has "${unknown.name}"); start that version.`);
  const done = new Set(applied.map((row) => row.name));
  return migrations.filter((migration) => !done.has(migration.name));
}
