import { describe, expect, test } from "bun:test";
import { postgres } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";

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
