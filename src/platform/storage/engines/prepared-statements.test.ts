import { expect, test } from "bun:test";
import { SQL } from "bun";
import { postgres } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";

const storage = useStorage(postgres);

test("statements that select all columns work while a later release adds some", async () => {
  const { reads } = storage.open;
  const all = () => Promise.all(Array.from({ length: 30 }, () => reads.all("SELECT * FROM accounts", [])));
  await all();
  await using direct = new SQL(storage.options.databaseUrl!, { max: 1 });
  for (const column of ["later", "much_later"]) {
    await direct.unsafe(`ALTER TABLE accounts ADD COLUMN ${column} TEXT`);
    expect(await all()).toHaveLength(30);
  }
});
