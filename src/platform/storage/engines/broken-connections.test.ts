import { beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgres } from "../../../../test/support/engines.ts";
import { proxiedPostgres } from "../../../../test/support/postgres-proxy.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { StorageUnavailable } from "../errors.ts";
import type { WriteTransaction } from "../storage.ts";

const engine = proxiedPostgres();
const storage = useStorage(engine, { transactionMilliseconds: 1_000 });

beforeEach(() => {
  engine.proxy.faultOf = undefined;
});

const insert = (transaction: WriteTransaction, name: string) =>
  transaction.insert("accounts", { id: `acct_${name}`, name, version: 1, created_on: 1, updated_on: 1 });

/** Returns the rows of a transaction that failed, after later transactions have used every remaining connection. */
async function namesAfterOthers(): Promise<string[]> {
  // On a busy machine some of these transactions may time out themselves.
  await Promise.allSettled(
    Array.from({ length: 40 }, (_, each) =>
      storage.open.write((transaction) =>
        transaction.run("UPDATE accounts SET version = version + 1 WHERE name = ?", [`other ${each}`]),
      ),
    ),
  );
  const rows = await storage.open.reads.query.selectFrom("accounts").select("name").execute();
  return rows.map(({ name }) => name);
}

async function openTransactions(): Promise<number> {
  await using direct = new SQL(storage.options.databaseUrl!, { max: 1 });
  const [row] = await direct`SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND state <> 'active'`;
  return row.count;
}

test.each(["BEGIN", "INSERT INTO accounts", "UPDATE accounts", "COMMIT"])(
  "a transaction whose connection stalls at %s fails in time, and no other transaction continues it",
  async (statement) => {
    const name = `stalled at ${statement}`;
    let stalls = 1;
    engine.proxy.faultOf = (piece) =>
      piece.includes(statement) && stalls-- > 0 ? { kind: "delay", milliseconds: 2_000 } : undefined;
    const failing = storage.open.write(async (transaction) => {
      await insert(transaction, name);
      await transaction.run("UPDATE accounts SET version = 2 WHERE name = ?", [name]);
    });
    await expect(failing).rejects.toBeInstanceOf(StorageUnavailable);
    const names = await namesAfterOthers();
    // COMMIT may arrive late and still be executed, as for any client that stopped waiting.
    if (statement !== "COMMIT") expect(names).not.toContain(name);
    await until(async () => (await openTransactions()) === 0);
    if (statement !== "COMMIT") expect(await namesAfterOthers()).not.toContain(name);
  },
);

test("a connection on which ROLLBACK fails is not used again", async () => {
  engine.proxy.faultOf = (piece) => (piece.includes("ROLLBACK") ? { kind: "drop" } : undefined);
  const failing = storage.open.write(async (transaction) => {
    await insert(transaction, "changed my mind");
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await namesAfterOthers()).not.toContain("changed my mind");
  expect(await openTransactions()).toBe(0);
});

test("a transaction times out even if each of its statements is fast enough", async () => {
  engine.proxy.faultOf = (piece) =>
    piece.includes("UPDATE accounts") ? { kind: "delay", milliseconds: 120 } : undefined;
  let statements = 0;
  const failing = storage.open.write(async (transaction) => {
    for (; statements < 50; statements++)
      await transaction.run(`UPDATE accounts SET version = ${statements} WHERE name = 'x'`, []);
  });
  await expect(failing).rejects.toBeInstanceOf(StorageUnavailable);
  // Eight of them take a second.
  expect(statements).toBeLessThan(10);
});

test("work that continues after a failed statement is not reported as committed", async () => {
  await storage.open.write((transaction) => insert(transaction, "taken"));
  const swallowing = storage.open.write(async (transaction) => {
    await insert(transaction, "lost with it");
    await insert(transaction, "taken").catch(() => {});
  });
  await expect(swallowing).rejects.toThrow("The transaction was rolled back");
  expect(await namesAfterOthers()).not.toContain("lost with it");
});

describe("without a proxy", () => {
  const storage = useStorage(postgres, { transactionMilliseconds: 500 });

  test("connections that were given up count until PostgreSQL has closed them, and reads continue", async () => {
    const maxInPool = storage.options.databaseConnections - 1;
    const write = (name: string) => storage.open.write((transaction) => insert(transaction, name));
    await using other = new SQL(storage.options.databaseUrl!, { max: 2 });
    await other.begin(async (blocking) => {
      await blocking`LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE`;
      for (let round = 0; round < 2; round++) {
        const writes = Array.from({ length: maxInPool + 3 }, (_, each) => write(`${round} ${each}`));
        for (const { status } of await Promise.allSettled(writes)) expect(status).toBe("rejected");
        const [{ count }] = await other`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'tollgate'`;
        expect(count).toBeLessThanOrEqual(maxInPool);
        expect(await storage.open.reads.query.selectFrom("accounts").select("name").execute()).toEqual([]);
      }
    });
    await until(() =>
      write("afterwards").then(
        () => true,
        () => false,
      ),
    );
  });
});
