import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrateSqlite } from "../../../platform/storage/migrations/migrate.ts";
import { migrations } from "./index.ts";
import sqliteSchema from "./sqlite-schema.sql" with { type: "text" };

/** Migrations that are newer than the file run after it, so it may be behind: `npm run generate` writes it. */
test("a database that is created from the schema is the one that all migrations create", () => {
  using migrated = new Database(":memory:");
  using created = new Database(":memory:");
  migrateSqlite(migrated, migrations, 7);
  migrateSqlite(created, migrations, 7, sqliteSchema);
  expect(contentOf(created)).toEqual(contentOf(migrated));
  expect(contentOf(created).migrations).toEqual(migrations.map(({ name }) => ({ name, applied_on: 7 })));
});

test("an existing database gets only the migrations that it lacks", () => {
  using database = new Database(":memory:");
  migrateSqlite(database, migrations.slice(0, 20), 7);
  migrateSqlite(database, migrations, 8, sqliteSchema);
  using expected = new Database(":memory:");
  migrateSqlite(expected, migrations, 8);
  expect(schemaOf(database)).toEqual(schemaOf(expected));
  expect(contentOf(database).migrations).toEqual(
    migrations.map(({ name }, index) => ({ name, applied_on: index < 20 ? 7 : 8 })),
  );
});

test("the schema contains all but the newest migrations", () => {
  const names = new Set([...sqliteSchema.matchAll(/^ {2}\('([^']+)', 0\)/gm)].map(([, name]) => name));
  const missing = migrations.filter(({ name }) => !names.has(name));
  expect(missing.length, "run `npm run generate`").toBeLessThan(20);
});

/** Every object of the database by name, and the rows of every table. */
function contentOf(database: Database): Record<string, unknown[]> {
  const tables = schemaOf(database).filter(({ type, name }) => type === "table" && !name.startsWith("sqlite_"));
  expect(tables.length).toBeGreaterThan(100);
  return {
    schema: schemaOf(database),
    ...Object.fromEntries(tables.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).all()])),
  };
}

function schemaOf(database: Database): { type: string; name: string; tbl_name: string; sql: string }[] {
  return database
    .query<{ type: string; name: string; tbl_name: string; sql: string }, []>(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
    )
    .all();
}
