import { describe, expect, test } from "bun:test";
import { postgres } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { StorageUnavailable } from "../errors.ts";

describe.each([
  { patience: undefined, statements: "12s", transactions: "8s" },
  { patience: 3, statements: "36s", transactions: "24s" },
])("with patience $patience", ({ patience, statements, transactions }) => {
  const storage = useStorage(postgres, { databasePatience: patience });
  const setting = async (name: string) => {
    const row = await storage.open.reads.one<{ value: string }>("SELECT current_setting(?) AS value", [name]);
    return row?.value;
  };

  test("PostgreSQL ends statements and idle transactions after this time", async () => {
    expect(await setting("statement_timeout")).toBe(statements);
    expect(await setting("idle_in_transaction_session_timeout")).toBe(transactions);
  });
});

describe("a transaction of a node that is frozen", () => {
  const storage = useStorage(postgres, { databasePatience: 0.1 });

  test("is ended before the writes fail that wait for its rows", async () => {
    const { write } = storage.open;
    await write((transaction) => transaction.run("CREATE TABLE frozen (value integer)", []));
    await write((transaction) => transaction.run("INSERT INTO frozen VALUES (0)", []));
    const locked = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const frozen = write(async (transaction) => {
      await transaction.run("UPDATE frozen SET value = value + 10", []);
      locked.resolve();
      await thawed.promise;
    });
    await locked.promise;
    await write((transaction) => transaction.run("UPDATE frozen SET value = value + 1", []));
    thawed.resolve();
    await expect(frozen).rejects.toThrow(StorageUnavailable);
    expect(await storage.open.reads.one("SELECT value FROM frozen", [])).toEqual({ value: 1 });
  });
});
