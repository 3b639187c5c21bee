import { expect, test } from "bun:test";
import { SQL } from "bun";
import { postgres } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";

const storage = useStorage(postgres);

test("statements that select all columns work while a later release adds some", async () => {
  const { reads } = storage.open;
  const inTransaction = () =>
    storage.open.write((transaction) => transaction.all("SELECT * FROM accounts WHERE seq > ?", [0]));
  const all = async () => {
    const repeated = Array.from({ length: 30 });
    for (const _ of repeated) await inTransaction();
    return Promise.all([
      ...repeated.map(() => reads.all("SELECT * FROM accounts", [])),
      ...repeated.map(() => inTransaction()),
    ]);
  };
  await all();
  await using direct = new SQL(storage.options.databaseUrl!, { max: 1 });
  for (const column of ["later", "much_later"]) {
    await direct.unsafe(`ALTER TABLE accounts ADD COLUMN ${column} TEXT`);
    expect(await all()).toHaveLength(60);
  }
});

test("frequent statements of transactions are prepared, and those with changing lists are not", async () => {
  const names = (numbers: number[]) =>
    storage.open.write(async (transaction) => {
      await transaction.run("UPDATE accounts SET name = name WHERE seq = ?", [numbers[0]]);
      await transaction.all(`SELECT 1 FROM accounts WHERE seq IN (${numbers.map(() => "?").join(", ")})`, numbers);
      return transaction.all<{ statement: string }>(
        "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'tollgate_%' AND statement LIKE ?",
        ["%accounts%seq%"],
      );
    });
  for (let length = 1; length < 10; length++) await names(Array(length).fill(1));
  const prepared = (await names([1])).map(({ statement }) => statement);
  expect(prepared).toContain("UPDATE accounts SET name = name WHERE seq = $1");
  expect(prepared.filter((statement) => statement.includes(" IN ("))).toEqual([]);
});
