import { describe, expect, test } from "bun:test";
import { eachEngine, postgres } from "../../../../test/support/engines.ts";
import { databasePatience } from "../../../../test/support/slowdown.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { migrations } from "../../../core/database/migrations/index.ts";
import { openStorage } from "../engines/open.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const applied = async () => {
    const sql = "SELECT string_agg(name, ',') AS names FROM migrations";
    return (await storage.open.reads.one<{ names: string }>(sql, []))?.names.split(",");
  };

  test("all migrations are applied at the first start, and none at the second", async () => {
    const names = migrations.map((migration) => migration.name);
    expect(await applied()).toEqual(names);
    await storage.open.write((transaction) =>
      transaction.insert("accounts", { id: "a", name: "kept", version: 1, created_on: 1, updated_on: 1 }),
    );
    await storage.close();
    await storage.start();
    expect(await applied()).toEqual(names);
    const accounts = await storage.open.reads.query.selectFrom("accounts").select("name").execute();
    expect(accounts).toEqual([{ name: "kept" }]);
  });

  test("a database of a newer version is rejected with its unknown migration, and not changed", async () => {
    const insert = "INSERT INTO migrations (name, applied_on) VALUES (?, 1)";
    await storage.open.write((transaction) => transaction.run(insert, ["9999-from-the-future"]));
    await storage.close();
    await expect(openStorage(storage.options)).rejects.toThrow(
      'The database was written by a newer Tollgate (it has "9999-from-the-future"); start that version.',
    );
  });
});

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a database of a build before 0.1.0 is rejected, and not changed", async () => {
    const rename = "UPDATE migrations SET name = '0001-foundation' WHERE name = ?";
    await storage.open.write((transaction) => transaction.run(rename, [migrations[0]!.name]));
    await storage.close();
    for (const _ of [1, 2])
      await expect(openStorage(storage.options)).rejects.toThrow(
        "The database was written by a build before 0.1.0, which cannot be upgraded. It was not changed.",
      );
  });
});

describe("on PostgreSQL", () => {
  const storage = useStorage(postgres);

  test("a migration has no timeout, because a large table takes longer than the query timeout", async () => {
    const statement = `DO $$ BEGIN
      IF current_setting('statement_timeout') <> '0' THEN RAISE 'limited to %', current_setting('statement_timeout'); END IF;
    END $$`;
    await storage.close();
    storage.migrations = [...migrations, { name: "9999-unlimited", sql: statement }];
    await storage.start();
    const limit = "SELECT extract(epoch FROM current_setting('statement_timeout')::interval)::int AS seconds";
    expect(await storage.open.reads.one(limit, [])).toEqual({ seconds: 12 * databasePatience });
  });
});

test("the names of migrations are sorted and distinct", () => {
  const names = migrations.map((migration) => migration.name);
  expect(names).toEqual([...new Set(names)].sort());
  for (const name of names) expect(name).toMatch(/^\d{4}-[a-z-]+$/);
});
