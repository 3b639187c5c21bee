/** `npm run generate`: writes what the migrations create in an empty SQLite database. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { migrations } from "../src/core/database/migrations/index.ts";
import { migrateSqlite } from "../src/platform/storage/migrations/migrate.ts";

const file = join(import.meta.dir, "../src/core/database/migrations/sqlite-schema.sql");

function sqliteSchema(): string {
  using database = new Database(":memory:");
  migrateSqlite(database, migrations, 0);
  const ownTables = "name NOT LIKE 'sqlite_%' AND name <> 'migrations'";
  for (const { name } of rows<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND ${ownTables}`))
    if (rows(`SELECT 1 FROM "${name}" LIMIT 1`).length > 0)
      throw new Error(`Migrations insert into ${name}: the schema must contain these rows.`);
  const statements = rows<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND ${ownTables} ORDER BY rowid`,
  ).map(({ sql }) => sql);
  const applied = migrations.map(({ name }) => `  ('${name}', 0)`).join(",\n");
  return [
    "-- Written by `npm run generate` from the migrations. Do not edit.",
    ...statements.map((sql) => `${sql};`),
    `INSERT INTO migrations (name, applied_on) VALUES\n${applied};\n`,
  ].join("\n\n");

  function rows<Row>(sql: string): Row[] {
    return database.query<Row, []>(sql).all();
  }
}

await Bun.write(file, sqliteSchema());
