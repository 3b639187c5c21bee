import type { Database } from "bun:sqlite";
import type { ClientBase } from "pg";
import { type Migration, postgresSql, sqliteSql } from "./migration.ts";

const createTable = "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_on bigint NOT NULL)";

/** An arbitrary number, the same on every node: the advisory lock of migrations. */
const migrationLock = 7_011_657_420;

export function migrateSqlite(database: Database, migrations: Migration[], now: number): void {
  const applied = () => database.query<{ name: string }, []>("SELECT name FROM migrations").all();
  database
    .transaction(() => {
      database.run(createTable);
      for (const migration of pending(migrations, applied())) {
        database.run(sqliteSql(migration));
        database.run("INSERT INTO migrations (name, applied_on) VALUES (?, ?)", [migration.name, now]);
      }
    })
    .immediate();
}

const movePrefix = "move-from-sqlite:";

/**
 * The name of a migration row that exists while an installation is moved to this database. It prevents a start of any
 * server version.
 */
export function moveMarker(sourceId: string): string {
  return `${movePrefix}${sourceId}`;
}

interface MoveInProgress {
  sourceId: string;
  /** Called before the marker row is inserted, in the same transaction. */
  begin(isResumed: boolean): Promise<void>;
}

/** Safe if many nodes start at once on an empty database: one migrates, and the others wait for it. */
export async function migratePostgres(
  client: ClientBase,
  migrations: Migration[],
  now: number,
  move?: MoveInProgress,
): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await client.query(createTable);
    const { rows } = await client.query<{ name: string }>("SELECT name FROM migrations");
    const marker = move && moveMarker(move.sourceId);
    const insert = (name: string) =>
      client.query("INSERT INTO migrations (name, applied_on) VALUES ($1, $2)", [name, now]);
    for (const migration of pending(
      migrations,
      rows.filter(({ name }) => name !== marker),
    )) {
      await client.query(postgresSql(migration));
      await insert(migration.name);
    }
    if (move && marker !== undefined) {
      const isResumed = rows.some(({ name }) => name === marker);
      await move.begin(isResumed);
      if (!isResumed) await insert(marker);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

function pending(migrations: Migration[], applied: { name: string }[]) {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = applied.find((row) => !known.has(row.name));
  if (unknown?.name.startsWith(movePrefix))
    throw new Error(
      "The move of an installation to this database was interrupted. Run `tollgate migrate` on its data directory again, or drop the database.",
    );
  const done = new Set(applied.map((row) => row.name));
  if (unknown && !done.has(migrations[0]!.name))
    throw new Error("The database was written by a build before 0.1.0, which cannot be upgraded. It was not changed.");
  if (unknown)
    throw new Error(`The database was written by a newer Tollgate (it has "${unknown.name}"); start that version.`);
  return migrations.filter((migration) => !done.has(migration.name));
}
